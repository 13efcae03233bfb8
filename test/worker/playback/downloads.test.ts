/** Files for download: who gets them, and how their owner offers them. */
import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { projectAsset } from "../../../src/library/assets/projection.ts";
import { renditions } from "../../../src/library/assets/tables.ts";
import { writeInitSegment } from "../../../src/media/mp4/init-segment.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { renditionKey } from "../../../src/platform/storage/keys.ts";
import { answerPlayback, forgetPlayback } from "../../../src/playback/index.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { addRung, get, newAsset } from "./playable.ts";
import { addSigningKey, signToken } from "./tokens.ts";

const db = openDatabase(env.DB);
const FORMAT = { kind: "video", timescale: 25, avcC: new Uint8Array(8), colr: null } as const;

/** A ready asset with two rungs. */
async function newOffered(
  change: Parameters<typeof newAsset>[0] = {},
  access: Parameters<typeof newAsset>[1] = {},
): Promise<{ assetId: string; playbackId: string }> {
  const made = await newAsset({ status: "ready", mp4Support: "capped_4k", ...change }, access);
  for (const [name, heightPx] of [
    ["v720", 720],
    ["v360", 360],
  ] as const) {
    const widthPx = (heightPx * 16) / 9;
    await addRung(made.assetId, name, { widthPx, heightPx });
    const init = writeInitSegment({ ...FORMAT, widthPx, heightPx });
    await env.MEDIA.put(renditionKey(made.assetId, name, "init.mp4"), init);
  }
  return made;
}
const patch = (workspace: TestWorkspace, assetId: string, mp4Support: unknown) =>
  workspace.request("PATCH", `/v1/on-demand/${assetId}/update-mp4Support`, { mp4Support });
/** `data` of the events, oldest first. */
async function fileEventsOf(workspace: TestWorkspace) {
  const answer = await workspace.request("GET", "/v1/events?limit=100&naming=video");
  const { data } = await answer.json<{ data: { type: string; data: unknown }[] }>();
  const ofFiles = data.filter(({ type }) => type === "video.media.mp4Support.ready");
  return ofFiles.map(({ data: one }) => one).toReversed();
}

test("the file ends with the media of the largest rung", async () => {
  const { playbackId } = await newOffered();
  const answer = await get(`/${playbackId}/capped-4k.mp4`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect([answer.status, bytes.slice(-8000)]).toEqual([
    200,
    Uint8Array.from({ length: 8000 }, (_, n) => (n < 5000 ? 1 : 2)),
  ]);
});

test.each<[string, string, Parameters<typeof newAsset>[0], Parameters<typeof newAsset>[1]]>([
  ["that is not offered", "capped-4k.mp4", { mp4Support: null }, {}],
  ["of another kind than offered", "audio.m4a", {}, {}],
  ["of a media that is not ready", "capped-4k.mp4", { status: "processing" }, {}],
  ["for a playback ID with DRM", "capped-4k.mp4", {}, { accessPolicy: "drm", keySystems: ["clearkey"] }],
  ["without its track", "audio.m4a", { mp4Support: "audioOnly,capped_4k" }, {}],
])("no file %s", async (_, file, change, access) => {
  const { playbackId } = await newOffered({ workspaceId: "downloads", ...change }, access);
  const token = await signToken(await addSigningKey("downloads"), playbackId);
  expect((await get(`/${playbackId}/${file}?token=${token}`)).status).toBe(404);
});

test("a playback ID that is limited in resolution offers the file of its own largest rung", async () => {
  const { playbackId } = await newOffered({}, { resolution: "480p" });
  const answer = await get(`/${playbackId}/capped-4k.mp4`, {}, "HEAD");
  expect(answer.headers.get("etag")).toMatch(/^"v360-/);
});

describe("a viewer's query", () => {
  test("selects the nearest rung, as in a manifest, and not above the limit of the playback ID", async () => {
    const { playbackId } = await newOffered();
    const limited = await newOffered({}, { resolution: "480p" });
    const rungOf = async (path: string) => (await get(path, {}, "HEAD")).headers.get("etag")?.slice(0, 6);
    expect(await rungOf(`/${playbackId}/capped-4k.mp4?resolution=360p`)).toBe('"v360-');
    expect(await rungOf(`/${playbackId}/capped-4k.mp4?resolution=1080p`)).toBe('"v720-');
    expect(await rungOf(`/${limited.playbackId}/capped-4k.mp4?resolution=720p`)).toBe('"v360-');
  });

  test("names the file, which is then saved instead of played", async () => {
    const { playbackId } = await newOffered();
    const dispositionOf = async (query: string) =>
      (await get(`/${playbackId}/capped-4k.mp4${query}`, {}, "HEAD")).headers.get("content-disposition");
    expect(await dispositionOf("")).toBeNull();
    expect(await dispositionOf(`?download=${encodeURIComponent('Été "1".MP4')}`)).toBe(
      "attachment; filename=\"_t_ _1_.MP4\"; filename*=UTF-8''%C3%89t%C3%A9%20%221%22.MP4",
    );
    expect(await dispositionOf("?download")).toBe(
      "attachment; filename=\"capped-4k.mp4\"; filename*=UTF-8''capped-4k.mp4",
    );
  });

  test.each(["resolution=721p", "download=a/b", "download=a%5Cb", "download=a%0D%0Ab", "download=a%E2%80%AEb"])(
    "?%s is refused",
    async (query) => {
      const { playbackId } = await newOffered();
      expect((await get(`/${playbackId}/capped-4k.mp4?${query}`)).status).toBe(422);
    },
  );
});

test("the file of a private media needs a token", async () => {
  const { playbackId } = await newOffered({ workspaceId: "private" }, { accessPolicy: "private" });
  expect((await get(`/${playbackId}/capped-4k.mp4`)).status).toBe(401);
  const token = await signToken(await addSigningKey("private"), playbackId);
  expect((await get(`/${playbackId}/capped-4k.mp4?token=${token}`)).status).toBe(200);
});

test("a segment that is gone ends the download with an error instead of a shorter file", async () => {
  const { assetId, playbackId } = await newOffered();
  await env.MEDIA.delete(renditionKey(assetId, "v720", "1.m4s"));
  const answer = await get(`/${playbackId}/capped-4k.mp4`);
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow(/segment 1 of a download: 404/);
});

test("a range of more segments than one invocation may read is put together from several", async () => {
  const count = 20_000;
  const { assetId, playbackId } = await newOffered();
  const segments = {
    durationTicks: Array.from({ length: count }, () => 100),
    bytes: Array.from({ length: count }, () => 5000),
    keyframes: [],
  };
  await db.update(renditions).set({ segments }).where(eq(renditions.assetId, assetId));
  forgetPlayback(playbackId);
  const asked: string[] = [];
  const context = createExecutionContext();
  const self = {
    // Answers the ranges with their own numbers instead of media.
    fetch: (_: string, { headers }: { headers: Headers }) => {
      const [, from = "", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(headers.get("range")!)!;
      asked.push(`${headers.get("if-range")} ${headers.get("user-agent")}`);
      const bytes = new Uint8Array(Number(to) - Number(from) + 1).fill(asked.length);
      return Promise.resolve(new Response(bytes, { status: 206 }));
    },
  };
  const headers = { "user-agent": "test", "if-range": '"x"' };
  const request = new Request(`https://stream.sluice.test/${playbackId}/capped-4k.mp4`, { headers });
  const ctx = { exports: { default: self }, waitUntil: (work: Promise<unknown>) => context.waitUntil(work) };
  const answer = await answerPlayback(request, env, ctx)!;
  const bytes = new Uint8Array(await answer.arrayBuffer());
  await waitOnExecutionContext(context);
  expect(asked).toEqual(["null test", "null test", "null test"]);
  const header = bytes.length - count * 5000;
  const lengthOf = (part: number) => bytes.lastIndexOf(part) - bytes.indexOf(part) + 1;
  expect([1, 2, 3].map(lengthOf)).toEqual([header + 9000 * 5000, 9000 * 5000, 2000 * 5000]);
});

test("files are offered, changed and withdrawn, each with one event", async () => {
  const workspace = await newWorkspace();
  const { assetId, playbackId } = await newOffered({ workspaceId: workspace.id, mp4Support: null });
  for (const mp4Support of ["capped_4k", "audioOnly,capped_4k", "none"]) {
    const answer = await patch(workspace, assetId, mp4Support);
    const { data } = await answer.json<{ data: Record<string, unknown> }>();
    expect([answer.status, data["mp4Support"]]).toEqual([200, mp4Support === "none" ? undefined : mp4Support]);
    forgetPlayback(playbackId);
    expect((await get(`/${playbackId}/capped-4k.mp4`)).status).toBe(mp4Support === "none" ? 404 : 200);
  }
  expect(await fileEventsOf(workspace)).toMatchObject([
    { id: assetId, mp4Support: "capped_4k", playbackIds: [{ id: playbackId }] },
    { mp4Support: "audioOnly,capped_4k" },
    { mp4Support: "none" },
  ]);
});

test("the same value again is refused in the contract's words", async () => {
  const workspace = await newWorkspace();
  const { assetId } = await newOffered({ workspaceId: workspace.id });
  const answer = await patch(workspace, assetId, "capped_4k");
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { code: 400, message: "mp4Support value already exists" } },
  ]);
});

test("of a media that is still processed, the files are announced once, when it is ready", async () => {
  const workspace = await newWorkspace();
  const { assetId } = await newAsset({ workspaceId: workspace.id });
  expect((await patch(workspace, assetId, "audioOnly")).status).toBe(200);
  expect(await fileEventsOf(workspace)).toEqual([]);
  const event = { id: crypto.randomUUID(), type: "asset.ready", occurredAtMs: Date.now() };
  const messages = [
    { kind: "facts", payload: { status: "ready" } },
    { kind: "event", payload: event },
  ];
  for (let repeat = 0; repeat < 2; repeat += 1) await projectAsset(env, assetId, messages as never, new Date());
  expect(await fileEventsOf(workspace)).toMatchObject([{ mp4Support: "audioOnly" }]);
});

test("a media with DRM has none, at its creation and later", async () => {
  const workspace = await newWorkspace();
  const { assetId } = await newAsset({ workspaceId: workspace.id, accessPolicy: "drm" });
  const body = { inputs: [{ type: "video", url: "http://127.0.0.1:9/a.mp4" }], accessPolicy: "drm" };
  const created = await workspace.request("POST", "/v1/on-demand", { ...body, mp4Support: "capped_4k" });
  const changed = await patch(workspace, assetId, "capped_4k");
  for (const answer of [created, changed])
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("no files for download")]);
});

test.each([null, "", "capped_4k,audioOnly", "4k", ["capped_4k"]])("mp4Support: %j is refused", async (mp4Support) => {
  const workspace = await newWorkspace();
  const { assetId } = await newOffered({ workspaceId: workspace.id });
  expect((await patch(workspace, assetId, mp4Support)).status).toBe(422);
});

describe("a client whose User-Agent is named in MP4_SUPPORT_ARRAY_CLIENTS", () => {
  const ARRAY_CLIENT = { "user-agent": "Acme-SDK/3.1 (node)" };

  test("reads mp4Support as one entry per file, with its state and size, and other clients read the text", async () => {
    const workspace = await newWorkspace({ MP4_SUPPORT_ARRAY_CLIENTS: "other-sdk, acme-sdk 3" });
    const size = { widthPx: 3000, heightPx: 2000, maxResolution: "1080p" } as const;
    const { assetId } = await newOffered({ workspaceId: workspace.id, mp4Support: "audioOnly,capped_4k", ...size });
    const item = `/v1/on-demand/${assetId}`;
    const files = [
      { type: "audioOnly", status: "ready", ext: "m4a" },
      { type: "capped_4k", status: "ready", width: 1620, height: 1080, ext: "mp4" },
    ];
    for (const path of [item, "/v1/on-demand"]) {
      const seenBy = async (headers: Record<string, string>) => {
        const answer = await workspace.request("GET", path, undefined, headers);
        const { data } = await answer.json<{ data: Record<string, unknown> | Record<string, unknown>[] }>();
        return [data].flat()[0]!["mp4Support"];
      };
      expect(await seenBy(ARRAY_CLIENT)).toEqual(files);
      expect(await seenBy({ "user-agent": "acme-sdk/2.9" })).toBe("audioOnly,capped_4k");
      expect(await seenBy({})).toBe("audioOnly,capped_4k");
    }
    const body = { mp4Support: "none" };
    const answer = await workspace.request("PATCH", `${item}/update-mp4Support`, body, ARRAY_CLIENT);
    expect((await answer.json<{ data: object }>()).data).not.toHaveProperty("mp4Support");
  });

  test.each([
    ["errored", "failed"],
    ["processing", "preparing"],
  ] as const)("reads of a media that is %s that its files are %s", async (status, expected) => {
    const workspace = await newWorkspace({ MP4_SUPPORT_ARRAY_CLIENTS: "*" });
    const { assetId } = await newOffered({ workspaceId: workspace.id, mp4Support: "capped_4k", status });
    const { data } = await (
      await workspace.request("GET", `/v1/on-demand/${assetId}`)
    ).json<{ data: { mp4Support: unknown } }>();
    expect(data.mp4Support).toEqual([expect.objectContaining({ type: "capped_4k", status: expected, ext: "mp4" })]);
  });
});
