/** Rules of live streams. */
import { JobFailure } from "../../../protocol/jobs.ts";
import { chosenSounds } from "../../../encoder/live/broadcast-sounds.ts";
import { RunCaptions } from "../../../encoder/live/run-captions.ts";
import { Dropped, Ended, Heartbeat, PartCaptions, PartQuery, Started } from "../../../protocol/live.ts";
import { OriginFormats } from "../../../src/live/origin/index/origin-formats.ts";
import { OriginCaptions } from "../../../src/live/origin/index/origin-captions.ts";
import { RecordedCues } from "../../../src/media/live/recorded-cues.ts";
import { dvrFirstMsn } from "../../../src/live/origin/index/origin-history.ts";
import { layoutOf, splitRange } from "../../../src/media/download/layout.ts";
import { decideReload, readDirectives } from "../../../src/media/live/reload.ts";
import type { LiveRendition, LiveSegment } from "../../../src/media/live/timeline.ts";
import { ViewerBatch, ViewerWindow } from "../../../src/live/origin/viewer-window.ts";
import { warningsOf } from "../../../src/live/sessions/session-warnings.ts";
import { type Problem, PROBLEMS } from "../../../src/platform/http/problems.ts";
import { findRangeIn } from "../../../src/live/origin/recorded/clips-range.ts";
import { readClipRequest } from "../../../src/live/clips/clips-request.ts";
import type { SegmentRange } from "../../../src/live/origin/recorded/recorded-session.ts";
import { listsFrom, MOST_SEGMENTS } from "../../../src/live/origin/recorded/recording-lists.ts";
import { TAKEN, until, upTo } from "../../support/limits/trials.ts";

const rendition = (segments: Partial<LiveSegment>[]) =>
  ({ name: "v720", timescale: 1000, firstMsn: 0, hasEnded: false, segments }) as unknown as LiveRendition;
const viewers = (count: number, nameOf: (n: number) => string) => Array.from({ length: count }, (_, n) => nameOf(n));

/** The longest range of a session without an end. */
function rangeOf(segmentSeconds: number, wantedSeconds: number) {
  const lengths = { edge: 1e6, hasEnded: false, from: { msn: 0, seconds: 0 }, lengthAt: () => segmentSeconds };
  const range = findRangeIn(lengths, 0, wantedSeconds);
  if (range.kind !== "range") throw new Error(range.kind);
  return range;
}

/** A file for download with this many segments. */
function downloadOf(count: number) {
  const ones = Array.from({ length: count }, () => 1);
  const segments = { durationTicks: ones, bytes: ones };
  return layoutOf({ bytes: new Uint8Array(1), timescales: [1] }, [{ timescale: 1, segments }]);
}

function clipStatus(positionMs: number): string {
  try {
    return readClipRequest(new URLSearchParams({ start: "0s", end: `${positionMs / 1000}s` })) === null ? "" : TAKEN;
  } catch (error) {
    return String(PROBLEMS[(error as Problem).code].status);
  }
}

/** Number of segments in a recording's lists, whose segments have 16 bytes of JSON each. */
function listed(renditions: number, segments: number, range: SegmentRange | null = null): number {
  const segment = { isWhole: true, isGap: false, bytes: 1_234_567, durationTicks: 2_000_000, initVersion: 0 };
  const at = () => ({ ...segment, decodeTicks: 0, capturedAtMs: 0, isDiscontinuous: false }) as unknown as LiveSegment;
  const sources = viewers(renditions, (n) => `v${n}`).map((name) => ({
    name,
    timescale: 1_000_000,
    initVersion: 0,
    lastMsn: segments - 1,
    at,
  }));
  return listsFrom(sources, range)[0]!.segments.bytes.length;
}
const SEGMENT_BYTES = 16;
const SPAN_BYTES = 160;
/** Tries as many segments as fit, and two more, because a list ends with the segment that exceeds the bound. */
const recording = (renditions: number) => (bound: number) => {
  const fitting = Math.floor((bound / renditions - SPAN_BYTES) / SEGMENT_BYTES);
  const probe = (segments: number) => (listed(renditions, segments) === segments ? TAKEN : "cut");
  return { atBound: probe(fitting), above: probe(fitting + 2) };
};

const text = (length: number) => "x".repeat(length);
const parsed = (schema: { safeParse(body: unknown): { success: boolean } }, body: unknown) =>
  schema.safeParse(body).success ? TAKEN : "422";
/** A sound of the broadcast. */
const sounding = (sound: object) =>
  parsed(Started, {
    video: null,
    audio: null,
    renditions: [{ ...rung("mp4a"), kind: "audio", sound: { channels: 2, ...sound } }],
  });
const encoded = (sounds: number) => {
  const candidate = { isSent: true, isDefault: false, isDescription: false };
  const chosen = chosenSounds(Array.from({ length: sounds }, (_, index) => ({ ...candidate, index })));
  return chosen.length === sounds ? TAKEN : "left out";
};
const languageTag = (length: number) => {
  let tag = "de";
  while (tag.length < length) tag += `-${"x".repeat(Math.min(8, length - tag.length - 1))}`;
  return tag;
};
const beat = (more: object) => ({ segments: 0, droppedRungs: [], speed: 1, at: 0, ...more });
/** The formats of a rendition after so many changes. */
function keptFormats(count: number) {
  const formats = new OriginFormats({ get: () => undefined, put: () => {} } as unknown as SyncKvStorage);
  for (let version = 0; version < count; version += 1)
    formats.add("v720", { version, codec: "", widthPx: version, heightPx: 1, frameRate: 1, bitrateBps: 1 });
  return formats.of("v720");
}
const warning = (message: string) => ({ code: "silent" as const, message, since: 0, count: 1 });
const rung = (codec: string) => ({
  name: "v720",
  kind: "video",
  widthPx: 1,
  heightPx: 1,
  bitrateBps: 1,
  codec,
  timescale: 1,
});

/** The number of captions that are shown, one picture each, with an empty one before each. */
function captionsShown(...lengths: number[]): number {
  const captions = new RunCaptions();
  const rate = { num: 1_000_000, den: 1 }; // no time passes
  for (const [n, length] of lengths.entries()) {
    captions.show(2 * n, [{ channel: "cc1", text: "", settings: "" }], rate);
    captions.show(2 * n + 1, [{ channel: "cc1", text: text(length), settings: "" }], rate);
  }
  return captions.between(0, 2 * lengths.length, (frame) => frame).flatMap(({ cues }) => cues).length;
}
/** Captions of one segment for a session that already has this many bytes of text. */
function sessionCaptions(bytes: number): string {
  const cues = [{ startMs: 0, endMs: 1, settings: "", text: "A" }];
  const facts = new Map<string, unknown>([["captionsBytes", bytes - JSON.stringify(cues).length]]);
  const written: string[] = [];
  const kv = { get: (key: string) => facts.get(key), put: (key: string, value: unknown) => void facts.set(key, value) };
  const exec = (query: string) => {
    written.push(query);
    return { toArray: () => [] };
  };
  const captions = new OriginCaptions({ kv, sql: { exec } } as unknown as DurableObjectStorage);
  captions.add(0, 0, [{ channel: "cc1", cues }]);
  return written.some((query) => query.startsWith("INSERT")) ? TAKEN : "not shown";
}
/** Captions of a recording, one a millisecond. */
function recordedCaptions(count: number): string {
  const segments = { durationTicks: [count], bytes: [1], keyframes: [] };
  const recorded = new RecordedCues([{ timescale: 1000, segments }], 0);
  for (let n = 0; n < count; n += 1) recorded.add(0, [{ startMs: n, endMs: n + 1, settings: "", text: String(n % 2) }]);
  return recorded.cues.length === count ? TAKEN : "cut";
}
const PART = { ticks: 1, at: 0, independent: "1", last: "1", capturedAt: 0, discontinuity: "0", init: 0 };

export const LIVE_TRIALS = {
  "live-caption": upTo((length) => (captionsShown(length) === 1 ? TAKEN : "not shown")),
  // Two captions and the empty one between them are three changes.
  "live-caption-allowance": upTo((length) => (captionsShown(2000, length - 2000 - 3 * 40) === 2 ? TAKEN : "held back")),
  "live-captions": upTo((captions) => parsed(PartQuery, { ...PART, captions })),
  "live-caption-channels": upTo((count) =>
    parsed(
      PartCaptions,
      Array.from({ length: count }, () => ({ channel: "cc1", cues: [] })),
    ),
  ),
  "live-captions-session": upTo(sessionCaptions),
  "recording-captions": upTo(recordedCaptions),
  viewers: upTo((count) => {
    const window = new ViewerWindow();
    window.see(
      viewers(count, (n) => `${n}.0`),
      0,
    );
    return window.count(1) === count ? TAKEN : "not counted";
  }),
  "viewers-of-address": upTo((count) => {
    const window = new ViewerWindow();
    window.see(
      viewers(count, (n) => `address.${n}`),
      0,
    );
    return window.count(1) === count ? TAKEN : "not counted";
  }),
  "viewer-silence": until((ms) => {
    const window = new ViewerWindow();
    window.see(["a.0"], 0);
    return window.count(ms) === 1 ? TAKEN : "not counted";
  }),
  "viewer-batch": upTo((count) => {
    const batch = new ViewerBatch();
    batch.see("first.0", 0);
    const names = viewers(count, (n) => `${n}.0`);
    for (const name of names) batch.see(name, 10);
    return batch.see(names[0]!, 1000)!.length === count ? TAKEN : "next batch";
  }),
  "hls-msn-digits": upTo((digits) => {
    const read = readDirectives(new URLSearchParams({ _HLS_msn: "1".repeat(digits) }));
    return "problem" in read ? "400" : TAKEN;
  }),
  "hls-segments-ahead": upTo((ahead) => {
    const timing = { targetDurationSeconds: 2, partTargetMs: null };
    const live = rendition([{ msn: 0, isWhole: true, parts: [] }]);
    return decideReload(live, timing, { msn: ahead, part: null }) === "wait" ? TAKEN : "400";
  }),
  "hls-parts-ahead": (bound: number) => {
    const timing = { targetDurationSeconds: 2, partTargetMs: 500 };
    const live = rendition([{ msn: 0, isWhole: false, parts: [] }]);
    const probe = (part: number) => (decideReload(live, timing, { msn: 0, part }) === "wait" ? TAKEN : "400");
    return { atBound: probe(bound / 500), above: probe(bound / 500 + 1) };
  },
  "dvr-window": upTo((segments) => (dvrFirstMsn(rendition([{ msn: segments - 1 }]), false) === 0 ? TAKEN : "slides")),
  "recording-segments": upTo((segments) =>
    listed(1, segments, { first: 0, last: MOST_SEGMENTS - 1 }) === segments ? TAKEN : "cut",
  ),
  "recording-list": recording(1),
  "recording-lists": recording(16),
  "clip-length": upTo((ms) => (rangeOf(1.5, ms / 1000).endSeconds * 1000 >= ms ? TAKEN : "cut")),
  "clip-segments": upTo((count) => (rangeOf(0.5, count / 2).last === count - 1 ? TAKEN : "cut")),
  "clip-window-position": upTo(clipStatus),
  "download-segments": upTo((count) => {
    const layout = downloadOf(count);
    return splitRange(layout!, 0, layout!.size).length === 1 ? TAKEN : "split";
  }),
  "download-index": upTo((count) => (downloadOf(count) === null ? "404" : TAKEN)),
  "live-renditions": upTo((count) =>
    parsed(Started, { video: null, audio: null, renditions: Array.from({ length: count }, () => rung("avc1")) }),
  ),
  "live-rendition-name": upTo((length) =>
    parsed(Started, { video: null, audio: null, renditions: [{ ...rung("avc1"), name: text(length) }] }),
  ),
  "live-codec": upTo((length) => parsed(Started, { video: null, audio: null, renditions: [rung(text(length))] })),
  "live-formats": upTo((count) => (keptFormats(count)[0]?.version === 0 ? TAKEN : "forgotten")),
  "live-sounds": upTo(encoded),
  "live-sound-language": upTo((length) => sounding({ languageCode: languageTag(length) })),
  "live-sound-title": upTo((length) => sounding({ title: text(length) })),
  "live-segments": upTo((segments) => parsed(Heartbeat, beat({ segments }))),
  "live-dropped-rungs": upTo((count) =>
    parsed(Heartbeat, beat({ droppedRungs: Array.from({ length: count }, () => "v") })),
  ),
  "live-warnings": upTo((count) =>
    parsed(Heartbeat, beat({ warnings: Array.from({ length: count }, () => warning("")) })),
  ),
  "live-warning-message": upTo((length) => parsed(Heartbeat, beat({ warnings: [warning(text(length))] }))),
  "ingest-warnings": upTo((count) => {
    const earlier = Array.from({ length: count }, (_, n) => warning(String(n)));
    return warningsOf({ earlier, current: [] }).length === count ? TAKEN : "left out";
  }),
  "live-end-reason": upTo((length) => parsed(Ended, { reason: text(length) })),
  "live-sequence-number": upTo((fromMsn) => parsed(Dropped, { rendition: "v720", fromMsn })),
  "job-failure-message": upTo((length) => parsed(JobFailure, { code: "encoder_crashed", message: text(length) })),
};
