/** Media that are ready to be cut, and clips of them. */
import { env, runInDurableObject } from "cloudflare:test";
import { expect, vi } from "vitest";
import type { AssetMachine } from "../../../../durable-objects/asset-machine.ts";
import type { JobResult } from "../../../../protocol/jobs.ts";
import { assetMachine } from "../../../../src/library/assets/asset-calls.ts";
import { purgeAsset } from "../../../../src/library/assets/purge.ts";
import { renditions } from "../../../../src/library/assets/tables.ts";
import { planEncoding } from "../../../../src/library/encoding/plan.ts";
import { AAC_FRAME_SAMPLES } from "../../../../src/media/mp4/aac.ts";
import { ByteWriter } from "../../../../src/media/mp4/byte-writer.ts";
import { SampleColumns, writeFragmentHeader } from "../../../../src/media/mp4/fragment.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { assetPrefix, renditionKey, sourceKey } from "../../../../src/platform/storage/keys.ts";
import { newAsset } from "../../playback/playable.ts";
import type { MediaAnswer, TestWorkspace } from "../../workspace.ts";
import { sourceFacts } from "../../../support/source-facts.ts";

export const SEGMENT_SECONDS = 4;
const SOUND_RATE = 48_000;
const INIT = { bytes: 4, sha256: "", codec: "avc1.64000d" };

/** The AAC frame nearest to the start of a segment. */
const soundStart = (segment: number) =>
  Math.round((segment * SEGMENT_SECONDS * SOUND_RATE) / AAC_FRAME_SAMPLES) * AAC_FRAME_SAMPLES;

/** A segment of sound, whose frames have two bytes each. */
function soundSegment(startTicks: number, endTicks: number): Uint8Array<ArrayBuffer> {
  const columns = new SampleColumns();
  const count = (endTicks - startTicks) / AAC_FRAME_SAMPLES;
  for (let n = 0; n < count; n += 1)
    columns.add({ size: 2, duration: AAC_FRAME_SAMPLES, compositionOffset: 0, isKey: true, offset: 0 });
  const out = new ByteWriter();
  writeFragmentHeader(out, 1, startTicks, columns);
  out.raw(new Uint8Array(count * 2).fill(7));
  return out.written().slice();
}

const machineOf = (id: string) => env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(id));

/** A media of 25 frames a second with one rung and one sound, as its machine has left it. */
export async function readyFilm(
  workspace: TestWorkspace,
  segmentCount = 5,
): Promise<{ assetId: string; playbackId: string; bytes: number }> {
  const durationMs = segmentCount * SEGMENT_SECONDS * 1000;
  const made = await newAsset({
    workspaceId: workspace.id,
    status: "ready",
    stage: "done",
    durationMs,
    widthPx: 320,
    heightPx: 180,
    frameRate: "25/1",
    startedAt: new Date(),
  });
  const { assetId } = made;
  const all = Array.from({ length: segmentCount }, (_, n) => n);
  const sound = all.map((n) => soundSegment(soundStart(n), soundStart(n + 1)));
  const pictures = all.map((n) => `picture ${n} of ${assetId}`);
  const ladder = { assetId, origin: "ladder", isWhole: true, initBytes: INIT.bytes } as const;
  await openDatabase(env.DB)
    .insert(renditions)
    .values([
      {
        ...ladder,
        name: "v270",
        kind: "video",
        codec: INIT.codec,
        widthPx: 320,
        heightPx: 180,
        frameRateNum: 25,
        frameRateDen: 1,
        timescale: 25,
        segments: {
          durationTicks: all.map(() => 25 * SEGMENT_SECONDS),
          bytes: pictures.map(({ length }) => length),
          keyframes: all.map((): [number, number][] => [[0, 5]]),
        },
      },
      {
        ...ladder,
        name: "a1",
        kind: "audio",
        codec: "mp4a.40.2",
        channels: 2,
        languageCode: "und",
        languageName: "default",
        isDefault: true,
        timescale: SOUND_RATE,
        segments: {
          durationTicks: all.map((n) => soundStart(n + 1) - soundStart(n)),
          bytes: sound.map(({ length }) => length),
          keyframes: all.map(() => []),
        },
      },
    ]);
  for (const name of ["v270", "a1"]) await env.MEDIA.put(renditionKey(assetId, name, "init.mp4"), "init");
  for (const n of all) {
    await env.MEDIA.put(renditionKey(assetId, "v270", `${n}.m4s`), pictures[n]!);
    await env.MEDIA.put(renditionKey(assetId, "a1", `${n}.m4s`), sound[n]!);
  }
  await env.MEDIA.put(sourceKey(assetId), "the source");
  const asset = {
    id: assetId,
    workspaceId: workspace.id,
    sourceUrl: "http://127.0.0.1:9/film.webm",
    clipStartMs: 0,
    clipEndMs: null,
    maxResolution: "1080p",
    mediaQuality: "standard",
    publicUrl: "http://sluice.test",
    montage: null,
    optimizeAudio: false,
    watermark: null,
  } as const;
  const request = { maxResolution: "1080p", mediaQuality: "standard", isAwaited: false, skipTopRung: false } as const;
  await runInDurableObject(machineOf(assetId), ({ components }: AssetMachine) => {
    const { documents, state } = components;
    documents.put("name", assetId);
    documents.put("asset", asset);
    documents.put("plan", planEncoding(sourceFacts(durationMs), request));
    documents.put("stage", "done");
    state.move("finish", () => {});
  });
  const bytes = [...pictures, ...sound].reduce((sum, { length }) => sum + length, 2 * INIT.bytes);
  return { ...made, bytes };
}

export const clipBody = (mediaId: string, times: object = {}, more: object = {}) => ({
  inputs: [{ type: "video", url: `fp_mediaId://${mediaId}`, ...times }],
  accessPolicy: "public",
  ...more,
});

export async function newClip(
  workspace: TestWorkspace,
  mediaId: string,
  times: object,
  more: object = {},
): Promise<{ assetId: string; playbackId: string }> {
  const answer = await workspace.request("POST", "/v1/on-demand", clipBody(mediaId, times, more));
  expect(answer.status).toBe(201);
  const { data, playback_id: playbackId = "" } = await answer.json<MediaAnswer>();
  return { assetId: data.id, playbackId };
}

export async function mediaOf(workspace: TestWorkspace, id: string) {
  return (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<MediaAnswer>()).data;
}
export const until = (workspace: TestWorkspace, id: string, status: string) =>
  vi.waitFor(async () => expect((await mediaOf(workspace, id)).status).toBe(status), { timeout: 10_000, interval: 10 });

/** The encoder has made an edge of a clip, with the init segment of the film. */
export async function encodeEdge(
  clipId: string,
  { job, segment, frames }: { job: number; segment: number; frames: number },
): Promise<void> {
  const bytes = "an edge";
  await env.MEDIA.put(renditionKey(clipId, "clip-v270", `${segment}.m4s`), bytes);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("init"));
  const sha256 = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const segments = [{ durationTicks: frames, bytes: bytes.length, keyframes: [] }];
  const result: JobResult = {
    kind: "video",
    renditions: [{ name: "clip-v270", timescale: 25, init: { ...INIT, sha256 }, segments }],
    frameCount: frames,
    encodeMs: 1,
    cpuMs: 1,
  };
  expect(await assetMachine(env, clipId).completeJob(`${clipId}.video.${job}`, { attempt: 1, result })).toEqual({
    accepted: true,
  });
}

/** Deletes a media, and runs both passes of its purge. */
export async function remove(workspace: TestWorkspace, id: string): Promise<void> {
  expect((await workspace.request("DELETE", `/v1/on-demand/${id}`)).status).toBe(200);
  await purge(id);
}
export async function purge(id: string): Promise<void> {
  for (const pass of [1, 2]) await purgeAsset(env, { assetId: id, pass });
}
export const keysOf = async (id: string): Promise<string[]> =>
  (await env.MEDIA.list({ prefix: assetPrefix(id) })).objects.map(({ key }) => key.slice(assetPrefix(id).length));
