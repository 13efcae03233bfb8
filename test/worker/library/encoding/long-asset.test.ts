/** The longest and largest asset stays within the limits of every store. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import type { JobResult, SegmentFacts } from "../../../../protocol/jobs.ts";
import { assetMachine } from "../../../../src/library/assets/asset-calls.ts";
import { renditions } from "../../../../src/library/assets/tables.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { planEncoding } from "../../../../src/library/encoding/plan.ts";
import { openSourceServer, type RemoteServer } from "../sources/source-servers.ts";
import { sourceFacts } from "../../../support/source-facts.ts";
import { type MediaAnswer, newWorkspace, videoFrom } from "../../workspace.ts";

let server: RemoteServer;
beforeAll(async () => {
  server = await openSourceServer();
  await server.add("/film", { kind: "content", text: "not a standard source, so the encoder has the word" });
});

const DURATION_MS = 8.5 * 3600_000;
const FACTS = sourceFacts(DURATION_MS, {
  containerFormat: "matroska",
  video: { codec: "hevc", widthPx: 3840, heightPx: 2160, frameRate: { num: 60_000, den: 1001 } },
  audio: { codec: "aac" },
});
const init = { bytes: 700, sha256: "a".repeat(64), codec: "avc1.640034" };
const pictures = (frames: number): SegmentFacts => ({
  durationTicks: frames * 1001,
  bytes: 12_345_678,
  keyframes: [
    [0, 1_234_567],
    [6_172_839, 1_234_567],
  ],
});

test(
  "8.5 hours of 2160p at 59.94 Hz become Ready with every segment of every rendition",
  { timeout: 180_000, tags: ["full"] },
  async () => {
    const workspace = await newWorkspace();
    const more = { maxResolution: "2160p" };
    const response = await workspace.request("POST", "/v1/on-demand", {
      ...videoFrom(`${server.origin}/film`),
      ...more,
    });
    const { id } = (await response.json<MediaAnswer>()).data;
    const status = async () =>
      (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<MediaAnswer>()).data.status;
    const until = (wanted: string) =>
      vi.waitFor(async () => expect(await status()).toBe(wanted), { timeout: 100_000, interval: 50 });
    await until("Validating");
    const complete = (job: string, result: JobResult) =>
      assetMachine(env, id).completeJob(`${id}.${job}`, { attempt: 1, result });
    await complete("probe", { kind: "probe", facts: FACTS });

    const request = { maxResolution: "2160p", mediaQuality: "standard", isAwaited: true, skipTopRung: false } as const;
    const { video } = planEncoding(FACTS, request);
    const { chunks, grid, rungs } = video!;
    const segments = Math.ceil(video!.frameCount / grid.framesPerSegment);
    expect(rungs.length).toBeGreaterThanOrEqual(6);
    for (const [chunk, { frameCount }] of chunks.entries()) {
      const full = Math.floor(frameCount / grid.framesPerSegment);
      const rest = frameCount % grid.framesPerSegment;
      const made = Array.from({ length: full }, () => pictures(grid.framesPerSegment));
      if (rest > 0) made.push(pictures(rest));
      await complete(`video.${chunk}`, {
        kind: "video",
        renditions: rungs.map(({ name }) => ({ name, timescale: 60_000, init, segments: made })),
        frameCount,
        encodeMs: 1,
        cpuMs: 1,
      });
    }
    const sound = { durationTicks: 192_192, bytes: 64_000, keyframes: [] };
    await complete("audio.0", {
      kind: "audio",
      rendition: {
        name: "a1",
        timescale: 48_000,
        init: { ...init, codec: "mp4a.40.2" },
        segments: Array.from({ length: segments }, () => sound),
      },
      channels: 2,
      encodeMs: 1,
      cpuMs: 1,
    });
    await until("Ready");
    const rows = await openDatabase(env.DB).select().from(renditions).where(eq(renditions.assetId, id));
    expect(rows.map(({ name, isWhole, segments: list }) => [name, isWhole, list.bytes.length])).toEqual(
      [...rungs.map(({ name }) => name), "a1"].sort().map((name) => [name, true, segments]),
    );
  },
);
