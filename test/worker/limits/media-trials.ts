/** Limits of requests by encoders, gateways and viewers, and of clips, segments and attempts. */
import { env, runInDurableObject } from "cloudflare:test";
import type { ImageMakerComponents } from "../../../src/library/images/components.ts";
import type { ImageMaker } from "../../../durable-objects/image-maker.ts";
import type { LiveOrigin } from "../../../durable-objects/live-origin.ts";
import { type DispatchContext, dispatchJobs } from "../../../src/library/encoding/dispatcher.ts";
import type { JobStore, JobRow } from "../../../src/library/encoding/job-store.ts";
import { picturesJobId } from "../../../src/library/encoding/job-spec.ts";
import { signJobGrant } from "../../../src/library/encoding/job-token.ts";
import { type Problem, PROBLEMS } from "../../../src/platform/http/problems.ts";
import { newTrack } from "../../../src/library/tracks/store/new-track.ts";
import { addedTracks } from "../../../src/library/tracks/store/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { captionsKey } from "../../../src/platform/storage/keys.ts";
import { addRung, get, newAsset } from "../playback/playable.ts";
import { saveClip } from "../../../src/live/clips/save-clip.ts";
import type { RecordedIndex } from "../../../src/live/origin/recorded/recorded-index.ts";
import { keepIndex, keptIndex } from "../../../src/live/origin/recorded/recorded-reader.ts";
import { holdRead } from "../../../src/library/sources/awaited-source.ts";
import { NotArrived } from "../../../src/library/sources/uploaded-source.ts";
import { runRecordedLoad, runRecordedRead } from "../../../src/live/origin/recorded/recorded-reads.ts";
import { countViewer } from "../../../src/playback/live-viewers.ts";
import type { Env } from "../../../src/platform/env.ts";
import { TAKEN, type Trial, until, upTo } from "../../support/limits/trials.ts";
import { connect, newStream } from "../live/live-helpers.ts";
import { newOrigin, partOf } from "../live/origin/origins.ts";
import { onAirUntil, openingAt } from "../live/origin/real-media.ts";
import { sharedMedia } from "../../../src/library/clips/tables.ts";
import { clipBody, readyFilm } from "../library/clips/clip-helpers.ts";
import { newWorkspace, send } from "../workspace.ts";
import { ours, verdictOf } from "./api-trials.ts";

/** A PUT by a gateway. @param head the first bytes of the body */
const putOfSession =
  (path: string, head: number[] = []) =>
  async (bytes: number): Promise<string> => {
    const broadcaster = await connect(await newStream(await ours()));
    await broadcaster.started();
    const body = new Uint8Array(bytes);
    body.set(head);
    const headers = { authorization: `Bearer ${broadcaster.token}` };
    const url = `http://sluice.test/internal/live/${broadcaster.sessionId}/${path}`;
    return verdictOf(await send(new Request(url, { method: "PUT", headers, body })));
  };
const PART_QUERY = "ticks=1&at=0&independent=1&last=0&capturedAt=1&discontinuity=0&init=0";
const JPEG = [0xff, 0xd8, 0xff];

/** Tests the length only: no job has this grant, so an object that is not too long is answered 410. */
const putBytes =
  (jobId: string, object: string) =>
  async (bytes: number): Promise<string> => {
    const grant = { jobId, assetId: crypto.randomUUID(), attempt: 1, renditions: [object.split("/")[0]!] };
    const expiresAt = Date.now() + 60_000;
    const token = await signJobGrant(env.JOB_SECRET, { ...grant, segments: [0, 1], expiresAt });
    const headers = { authorization: `Bearer ${token}`, "content-length": String(bytes) };
    const url = `http://sluice.test/internal/jobs/${jobId}/objects/${object}`;
    const { status } = await send(new Request(url, { method: "PUT", headers, body: "x" }));
    return status === 410 ? TAKEN : String(status);
  };

/** The last of this many new pictures, some of which are made at once. */
const pictures =
  (atOnce: number, everyMs: number) =>
  async (count: number): Promise<string> => {
    const maker = env.IMAGE_MAKER.get(env.IMAGE_MAKER.idFromName(crypto.randomUUID()));
    const before = Array.from({ length: Math.ceil((count - 1) / atOnce) }, (_, n) =>
      Math.min(atOnce, count - 1 - n * atOnce),
    );
    return await runInDurableObject(maker, ({ components: { made } }: ImageMaker) => {
      const waits = [...before, 1].map((weight, n) => made.spend("p", weight, 1e12 + n * everyMs));
      return waits.at(-1) === 0 ? TAKEN : "nearest";
    });
  };

/** Asks a new image maker. */
const ofMaker = (ask: (components: ImageMakerComponents) => string): Promise<string> =>
  runInDurableObject(env.IMAGE_MAKER.get(env.IMAGE_MAKER.idFromName(crypto.randomUUID())), (maker: ImageMaker) =>
    ask(maker.components),
  );
const kept = (name: string, bytes: number) => ({ name, playbackId: "p", seconds: null, bytes });
const deletedAfter = (ms: number) =>
  ofMaker(({ kept: images }) => {
    images.add(kept("a", 1), 1e12);
    return images.due(1e12 + ms).length === 0 ? TAKEN : "deleted";
  });
const keptBytes = (bytes: number) =>
  ofMaker(({ kept: images }) => {
    images.add(kept("old", bytes - 1), 1e12);
    images.add(kept("new", 1), 1e12 + 1);
    return images.due(1e12 + 2).join() === "old" ? "deleted" : TAKEN;
  });
const keptCount = (count: number) =>
  ofMaker(({ kept: images }) => {
    for (let n = 0; n < count; n += 1) images.add(kept(String(n), 1), 1e12 + n);
    return images.due(1e12 + count).join() === "0" ? "deleted" : TAKEN;
  });
const failedFor = (ms: number) =>
  ofMaker(({ failed }) => {
    failed.remember("a", "failed", 1e12);
    return failed.of("a", 1e12 + ms) === null ? "forgotten" : TAKEN;
  });

/** Whether two user agents of this length that differ in the last character count as two viewers. */
async function programs(length: number): Promise<string> {
  const seen: string[][] = [];
  const watched = async (_: string, viewers: string[]) => void seen.push(viewers);
  const origins = { idFromName: () => "", get: () => ({ watched }) } as unknown as Env["LIVE_ORIGIN"];
  const session = { sessionId: crypto.randomUUID(), streamId: "s" } as Parameters<typeof countViewer>[3];
  const context = { waitUntil: () => {} } as unknown as Parameters<typeof countViewer>[2];
  for (const [n, last] of ["a", "b"].entries()) {
    const headers = { "user-agent": "x".repeat(length - 1) + last };
    const request = new Request("http://sluice.test/", { headers });
    await countViewer(request, { ...env, LIVE_ORIGIN: origins }, context, session, 1e12 + n * 1000);
  }
  return new Set(seen.flat()).size === 2 ? TAKEN : "cut";
}

const clips =
  (by: "owner" | "viewer"): Trial =>
  async (bound) => {
    const { streamId } = await newStream(await ours());
    const range = { kind: "range" as const, first: 0, last: 1, startSeconds: 0, endSeconds: 4 };
    const ids = () => ({
      sessionId: crypto.randomUUID(),
      mediaId: crypto.randomUUID(),
      playbackId: crypto.randomUUID(),
    });
    const quiet: Env = { ...env, CLIPS: { ...env.CLIPS, send: async () => {} } as unknown as Queue }; // the clips have no segments to copy
    const made: string[] = [];
    for (let n = 0; n <= bound; n++)
      made.push(
        await saveClip(quiet, streamId, { ...ids(), range, access: "public" }, { publicUrl: "http://sluice.test", by }),
      );
    const beyond = by === "owner" ? "429" : "plays"; // createClip answers with a Problem
    const above = made.pop() === "limit" ? beyond : TAKEN;
    return { atBound: made.every((outcome) => outcome === "made") ? TAKEN : beyond, above };
  };

/** The answer to the last of this many clips of media. */
async function clipsOfMedia(count: number): Promise<string> {
  const workspace = await newWorkspace();
  const film = await readyFilm(workspace);
  const rows = Array.from({ length: count - 1 }, () => ({
    mediaId: crypto.randomUUID(),
    workspaceId: workspace.id,
    createdAt: new Date(),
  }));
  for (const row of rows) await openDatabase(env.DB).insert(sharedMedia).values(row);
  return verdictOf(await workspace.request("POST", "/v1/on-demand", clipBody(film.assetId)));
}

/** Whether an origin holds this many segments of a rendition in memory. */
async function inMemory(segments: number): Promise<string> {
  const { stub, session } = newOrigin();
  await stub.open(session);
  return await runInDurableObject<never, string>(stub as never, (origin) => {
    const { index } = (origin as LiveOrigin).components;
    for (let msn = 0; msn < segments; msn++) {
      const arriving = { ...partOf("v720", msn, 0), isLast: true, decodeTicks: msn * 60_000, durationTicks: 60_000 };
      index.add(arriving, new Uint8Array(9));
      index.store.markStored("v720", msn);
      index.store.forgetBytes("v720", msn);
    }
    const held = Math.max(...index.all.map((rendition) => rendition.segments.length));
    return held === segments ? TAKEN : "paged";
  });
}

/** The result when a job loses its lease in this attempt. */
async function leaseLost(attempt: number): Promise<string> {
  const job = { id: "j", state: "leased", attempt, leaseUntil: 0 } as JobRow;
  let isQueued = false;
  const jobs = { leased: () => [job], queued: () => [], requeue: () => void (isQueued = true) } as unknown as JobStore;
  const outcome = await dispatchJobs(env, jobs, () => ({}) as DispatchContext, 1);
  return "lost" in outcome ? "encoder_lost" : isQueued ? TAKEN : "forgotten";
}

/** A broadcaster that reconnects after this time, when no media was held meanwhile. */
async function comesBackAfter(ms: number): Promise<string> {
  const { stub, session } = newOrigin();
  const endsAtMs = Date.now();
  await onAirUntil(stub, session, 1, endsAtMs);
  const { discontinuity } = await stub.resume(openingAt(endsAtMs + ms));
  return discontinuity ? "discontinuity" : TAKEN;
}

/** This many concurrent reads of recordings. */
async function atOnce(count: number, run: typeof holdRead): Promise<string> {
  const gate = Promise.withResolvers<void>();
  const reads = Array.from({ length: count }, () =>
    run(() => gate.promise).then(
      () => TAKEN,
      (error: Problem | NotArrived) => (error instanceof NotArrived ? "503" : String(PROBLEMS[error.code].status)),
    ),
  );
  gate.resolve();
  return (await Promise.all(reads)).find((outcome) => outcome !== TAKEN) ?? TAKEN;
}

export const MEDIA_TRIALS = {
  "text-segments": async (bound: number) => {
    const { assetId, playbackId } = await newAsset({ status: "ready", stage: "done" });
    await addRung(assetId);
    const track = newTrack(
      { kind: "subtitle", url: null, languageCode: "it", languageName: "Italian" },
      assetId,
      new Date(),
    );
    const captions = { cueCount: 0, skippedCues: 0, peakBps: 1, averageBps: 1 };
    await openDatabase(env.DB)
      .insert(addedTracks)
      .values({ ...track, status: "available", captions });
    await env.MEDIA.put(captionsKey(assetId, track.id, "segments.json"), '{"lengths":[]}');
    const segment = async (number: number) => verdictOf(await get(`/${playbackId}/text/${track.id}/${number}.vtt`));
    return { atBound: await segment(bound - 1), above: await segment(bound) };
  },
  "absence-filled": upTo(comesBackAfter),
  "origin-segments": upTo(inMemory),
  "job-attempts": until(leaseLost),
  "encoder-object": upTo(putBytes("j", "v270/0.m4s")),
  "encoder-captions": upTo(putBytes("j.captions", "text-2/captions.json")),
  "encoder-sheet": upTo(putBytes(picturesJobId("m", crypto.randomUUID()), "m-1/0.jpg")),
  "live-init": upTo(putOfSession("init/v720/0")),
  "live-part": upTo(putOfSession(`parts/v720/0/0?${PART_QUERY}`)),
  "live-thumbnail": upTo(putOfSession("thumbnail?capturedAt=1", JPEG)),
  "viewer-program": upTo(programs),
  "image-kept": until(deletedAfter),
  "images-of-media": upTo(keptBytes),
  "images-of-media-count": upTo(keptCount),
  "image-failure": until(failedFor),
  "images-of-playback-id": upTo(pictures(1, 1)),
  "images-of-playback-id-and-day": upTo(pictures(100, 60_000)),
  "clips-of-media": upTo(clipsOfMedia),
  "clips-of-stream": clips("owner"),
  "clips-of-viewers": clips("viewer"),
  "upload-waits-of-isolate": upTo((count) => atOnce(count, holdRead)),
  "recorded-reads": upTo((count) => atOnce(count, runRecordedRead)),
  "recorded-loads": upTo((count) => atOnce(count, runRecordedLoad)),
  "recorded-indexes": upTo(async (bytes) => {
    const index = (sizeBytes: number) => ({ sizeBytes }) as RecordedIndex;
    const [older, newer] = [crypto.randomUUID(), crypto.randomUUID()];
    keepIndex(older, index(1), Date.now());
    keepIndex(newer, index(bytes - 1), Date.now());
    return keptIndex(older, Date.now()) === null ? "forgotten" : TAKEN;
  }),
};
