/**
 * SECURITY.md, "Rotating secrets", on a running platform: `JOB_SECRET` and `ENCODER_SECRET` change while an asset is encoded and a stream is
 * on air. A Worker gets its secrets when it starts, so each step restarts it, as an upload of secrets does on Cloudflare.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Broadcaster, startBroadcaster } from "../../support/clock-broadcaster.ts";
import { dvrOf, eventually, newLiveStream, segmentsOf, smallestPlaylist } from "../../support/live-watch.ts";
import { madeFile } from "../../support/made.ts";
import { isReady, startTestPlatform, type TestPlatform } from "../../support/platform.ts";
import { fileContent } from "../../support/source-content.ts";
import { type SourceServer, startSourceServer } from "../../support/source-server.ts";

const SMALL = { widthPx: 320, heightPx: 180, frameRate: 15, bitrateBps: 300_000, keySeconds: 1 };

let platform: TestPlatform;
let server: SourceServer;
let broadcaster: Broadcaster | undefined;

beforeAll(async () => {
  // Long enough to be seen in the middle of its encoding.
  const clip = [
    "-stream_loop",
    "8",
    "-i",
    "test/fixtures/flower.mp4",
    "-vf",
    "scale=480:270",
    "-preset",
    "veryfast",
    "-t",
    "40",
  ];
  const path = await madeFile(clip, "mp4");
  server = await startSourceServer();
  server.add("/long.mp4", { kind: "content", content: await fileContent(path) });
  server.add("/short.mp4", { kind: "content", content: await fileContent("test/fixtures/friday.mp4") });
  platform = await startTestPlatform({ withIngest: true });
});

afterAll(async () => {
  await broadcaster?.stop();
  await platform?.stop();
  await platform?.removeHome();
  await server?.stop();
});

const log = (part: string) =>
  readFileSync(join(platform.home, "logs", part), "utf8")
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as { event?: string; jobId?: string }] : []));
const eventsOfLog = (...names: string[]) => log("worker.log").filter(({ event }) => names.includes(event ?? ""));
const fresh = () => randomBytes(32).toString("base64");

async function restart(part: "worker" | "encoder"): Promise<void> {
  const before = platform.pids[part]()!;
  process.kill(before, "SIGTERM");
  await eventually(`the ${part} is back`, async () => {
    const { status } = await fetch(`${platform.baseUrl}/healthz`, {
      headers: { authorization: platform.authorization },
    });
    return platform.pids[part]() !== before && status === 200 ? true : null;
  });
}

/** A fast encoder's progress may be reported as little as once. */
const isBeingEncoded = ({ progress }: { progress?: { stage: string; percent: number } }) =>
  progress?.stage === "encoding" && progress.percent < 90;

test("rotating JOB_SECRET costs no job an attempt and does not interrupt a broadcast", async () => {
  const { secrets } = platform.settings;
  const stream = await newLiveStream(platform);
  broadcaster = await startBroadcaster(stream.ingest.rtmp, SMALL);
  const playlist = await eventually("a playlist", () => smallestPlaylist(dvrOf(platform, stream)));
  const { assetId } = await platform.create(server.url("/long.mp4"));
  await platform.until(assetId, isBeingEncoded);

  const old = secrets.jobSecret;
  secrets.jobSecret = `${fresh()},${old}`;
  await restart("worker"); // the encoder and the gateway continue with tokens signed by the old secret
  await platform.until(assetId, isReady);

  const seen = (await segmentsOf(playlist))!.length;
  const segments = await eventually("two more segments", async () => {
    const now = await segmentsOf(playlist);
    return now !== null && now.length >= seen + 2 ? now : null;
  });
  expect(segments.filter(({ discontinuities, isGap }) => discontinuities > 0 || isGap)).toEqual([]);
  expect(eventsOfLog("job.lease_lost", "job.failed", "job.token_refused", "live.token_refused")).toEqual([]);

  secrets.jobSecret = secrets.jobSecret.split(",")[0]!;
  await restart("worker");
  const after = await platform.create(server.url("/short.mp4"));
  await platform.until(after.assetId, isReady);
});

test("rotating ENCODER_SECRET loses no job, whichever side gets the new one first; a gateway's credential stays valid meanwhile", async () => {
  const { secrets } = platform.settings;
  const old = secrets.encoderSecret;
  const next = fresh();
  const encode = async () => {
    const { assetId } = await platform.create(server.url("/short.mp4"));
    await platform.until(assetId, isReady);
  };
  secrets.encoderSecret = `${next},${old}`;
  await restart("worker"); // the encoder has only the old secret, like a running container
  await encode();
  const pushed = await newLiveStream(platform);
  const pusher = await startBroadcaster(pushed.ingest.rtmp, SMALL); // through a gateway whose credential derives from the old secret
  await eventually("a broadcast", () => smallestPlaylist(dvrOf(platform, pushed)));
  await pusher.stop();
  secrets.encoderSecret = next;
  await restart("encoder");
  await encode();
  expect(eventsOfLog("encoder.refused_secret", "gateway.refused", "live.push_broke")).toEqual([]);
});
