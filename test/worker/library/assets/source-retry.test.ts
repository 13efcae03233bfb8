import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { assetMachine } from "../../../../src/library/assets/index.ts";
import { openSourceServer, type RemoteServer } from "../sources/source-servers.ts";
import { type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../../workspace.ts";
import { until } from "../../events/webhooks/webhook-rows.ts";
import { get } from "../../playback/playable.ts";

let server: RemoteServer;
let workspace: TestWorkspace;
beforeAll(async () => {
  [server, workspace] = [await openSourceServer(), await newWorkspace()];
});

interface Progress {
  stage: string;
  retry?: { reason: string; attempt: number; nextAttemptAt: string };
}

async function create(url: string) {
  const response = await workspace.request("POST", "/v1/on-demand", videoFrom(url));
  const { data, playback_id: playbackId } = await response.json<MediaAnswer>();
  const read = async () => {
    const answer = await (await workspace.request("GET", `/v1/on-demand/${data.id}`)).json<MediaAnswer>();
    return answer.data as MediaAnswer["data"] & { progress?: Progress };
  };
  return { playbackId: playbackId!, read };
}

test("a media whose source cannot be reached says so, to its owner and to players, while it is tried again", async () => {
  const beforeMs = Date.now();
  const { playbackId, read } = await create("https://nobody.test/film.mp4");
  const media = await until(read, ({ progress }) => progress?.retry !== undefined);
  expect(media).toMatchObject({
    status: "Downloading",
    progress: { stage: "downloading", percent: 0, retry: { reason: "source_unresolvable" } },
  });
  expect(media.progress!.retry!.attempt).toBeGreaterThanOrEqual(1); // a second attempt may have failed by now
  const waitMs = Date.parse(media.progress!.retry!.nextAttemptAt) - beforeMs;
  expect(waitMs).toBeGreaterThanOrEqual(2000);
  const manifest = await get(`/${playbackId}.m3u8`);
  expect([manifest.status, await manifest.json()]).toMatchObject([
    400,
    {
      error: {
        message: "media is not ready",
        description: "0 % processed; the source cannot be fetched: source_unresolvable",
      },
    },
  ]);
});

test("a sweep leaves the retry of a source at its time", async () => {
  const { read } = await create("https://nobody.test/film.mp4");
  const retryOf = async () => (await until(read, ({ progress }) => progress?.retry !== undefined)).progress!.retry!;
  const { id } = await read();
  const retry = await retryOf();
  expect(await assetMachine(env, id).start(id)).toEqual({ status: "processing" }); // what the sweep calls
  const workAtMs = await runInDurableObject(
    env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(id)) as never,
    (_: unknown, { storage }: DurableObjectState) =>
      storage.sql.exec<{ due: number }>("SELECT due FROM timers WHERE name = 'work'").one().due,
  );
  expect(workAtMs).toBe(Date.parse(retry.nextAttemptAt));
});

test("the retry is no longer reported once the source is read", async () => {
  const path = "/comes-back";
  const url = await server.add(path, { kind: "status", status: 503 });
  const { read } = await create(url);
  await until(read, ({ progress }) => progress?.retry?.reason === "source_unavailable");
  await server.add(path, { kind: "content", sizeBytes: 50_000, trickle: { bytes: 10_000, intervalMs: 300 } });
  const media = await until(read, ({ progress }) => progress?.retry === undefined);
  // The index was read; the copy, which also reports its progress, is still running.
  expect(media).toMatchObject({ status: "Downloading", progress: { stage: "downloading", percent: 0 } });
});
