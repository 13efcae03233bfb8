/** One MPD of each kind that Sluice writes, with the sizes of its segments: video of 25 frames per second, audio of 48 kHz cut at AAC frames. */
import type { SoundFacts } from "../../protocol/live.ts";
import { assembleClip } from "../../src/library/encoding/assemble-clip.ts";
import type { Protection } from "../../src/media/cenc/content-key.ts";
import { commonPssh, widevinePssh } from "../../src/media/cenc/pssh.ts";
import { mpd } from "../../src/media/dash/mpd.ts";
import type { CaptionChannel } from "../../src/media/live/captions.ts";
import { liveMpd } from "../../src/media/live/mpd.ts";
import type { MpdRendition } from "../../src/media/live/mpd-periods.ts";
import type { LiveFormat } from "../../src/media/live/origin-facts.ts";
import { formatsIn } from "../../src/media/manifest/formats.ts";
import type { LiveRendition, LiveSegment, LiveTiming } from "../../src/media/live/timeline.ts";
import { type ManifestFacts, presentationOf, type Rendition, type TextTrack } from "../../src/media/manifest/model.ts";
import { select } from "../../src/media/manifest/selection.ts";
import { recordedLists } from "../../src/live/origin/recorded/recording-lists.ts";
import { planSheet } from "../../src/media/images/sheet-plan.ts";
import { audioRow, facts, growing, source, videoRow } from "../pure/media/rows.ts";

export interface OurMpd {
  text: string;
  /** By rendition: bytes of each segment from number 0 on. */
  sizes: Record<string, number[]>;
}

/** For every key system. */
const KEY_ID = "0f3b1c2d-4e5f-4a6b-8c7d-9e0f1a2b3c4d";
const ENCRYPTED: Protection = {
  keyId: KEY_ID,
  iv: new Uint8Array(16),
  signals: [
    { keySystem: "clearkey", pssh: commonPssh(KEY_ID), hlsUri: "" },
    { keySystem: "widevine", pssh: widevinePssh(KEY_ID), hlsUri: "" },
    { keySystem: "fairplay", pssh: null, hlsUri: "" },
  ],
};

const NOW_MS = Date.UTC(2026, 10, 22, 12);
const RATE = 48_000;
const toFrame = (seconds: number) => Math.round((seconds * RATE) / 1024) * 1024;

/** Audio segments that end at these times, with 16,000 bytes per second. */
function sound(name: string, ends: number[], change: Partial<Rendition> = {}): Rendition {
  const durationTicks = ends.map((end, n) => toFrame(end) - toFrame(n === 0 ? 0 : ends[n - 1]!));
  const bytes = durationTicks.map((ticks) => (ticks / RATE) * 16_000);
  return audioRow(name, bytes, { segments: { durationTicks, bytes, keyframes: [] }, ...change });
}

const FOURS = [4, 8, 12, 14.2];
const v720 = videoRow("v720", 1280, 720, [1_000_000, 400_000, 900_000, 300_000], {
  segments: { durationTicks: [100, 100, 100, 55], bytes: [1_000_000, 400_000, 900_000, 300_000], keyframes: [] },
});
const v270 = { ...v720, name: "v270", widthPx: 480, heightPx: 270 };
const a1 = sound("a1", FOURS);
const SOURCE_CUTS = [5, 9.8, 14.2];
const sourceVideo = source({
  ...v720,
  name: "source-v",
  segments: { durationTicks: [125, 120, 110], bytes: [2_000_000, 100_000, 1_500_000], keyframes: [] },
});
const sourceAudio = source(sound("source-a1", SOURCE_CUTS, { languageCode: null, languageName: null }));
const german = sound("a2", FOURS, { languageCode: "de", languageName: "Deutsch <&>", isDefault: false });

/** Subtitles of each kind of role. */
const SUBTITLES: TextTrack[] = ["isDefault", "isForced", "isClosedCaptions"].map((flag, n) => ({
  id: `7f1d2c3b-4a59-4687-8695-a4b3c2d1e0f${n}`,
  name: `Subtitles <${n}>`,
  languageCode: "it",
  isDefault: flag === "isDefault",
  isForced: flag === "isForced",
  isClosedCaptions: flag === "isClosedCaptions",
  peakBps: 1000,
  averageBps: 500,
}));

function onDemand(asset: ManifestFacts, firstNumber = 0, protection: Protection | null = null): OurMpd {
  const presentation = select(presentationOf(asset)!, { minPx: null, maxPx: null, exactPx: null, order: null });
  const sheet = asset.status === "ready" ? planSheet(presentation.videoSets.flat()) : null;
  const rows = [...presentation.videoSets.flat(), ...presentation.audio];
  const gaps = Array.from({ length: firstNumber }, () => 0);
  return {
    text: mpd(presentation, "P", new Date(NOW_MS), { firstNumber, protection, sheet }),
    sizes: Object.fromEntries(rows.map(({ name, segments }) => [name, [...gaps, ...segments.bytes]])),
  };
}

const TIMING: LiveTiming = { targetDurationSeconds: 2, partTargetMs: 500 };
const PICTURE = 120_000;
const PARTS = 4;

/** A live rendition of segments of 2 s; the last one has as many parts as `openParts` says. */
function live(name: string, whole: number, openParts: number, change: Partial<LiveRendition> = {}): LiveRendition {
  const timescale = name === "a1" ? RATE : PICTURE;
  const at = (seconds: number) => (name === "a1" ? toFrame(seconds) : seconds * timescale);
  const segment = (msn: number, parts: number): LiveSegment => ({
    msn,
    capturedAtMs: NOW_MS + msn * 2000,
    decodeTicks: at(msn * 2),
    durationTicks: at(msn * 2 + (parts / PARTS) * 2) - at(msn * 2),
    bytes: parts * (name === "a1" ? 4000 : 60_000),
    isDiscontinuous: false,
    initVersion: 0,
    isGap: false,
    isWhole: parts === PARTS,
    parts: [],
  });
  const segments = Array.from({ length: whole + (openParts > 0 ? 1 : 0) }, (_, msn) =>
    segment(msn, msn < whole ? PARTS : openParts),
  );
  const empty = { discontinuities: [], periodStarts: [0], droppedFrom: null, hasEnded: false };
  return { name, timescale, firstMsn: 0, segments, ...empty, ...change };
}

const BITRATES: Record<string, number> = { v720: 1_000_000, v360: 1_000_000, a1: 70_000 };
const SIZES: Record<string, [number, number]> = { v720: [1280, 720], v360: [640, 360] };
/** From a version of the init segment on. */
type Formats = Record<string, LiveFormat[]>;
const asMpdRendition = (rendition: LiveRendition, later: Formats = {}): MpdRendition => {
  const [widthPx, heightPx] = SIZES[rendition.name] ?? [null, null];
  const { name, timescale } = rendition;
  const sound = SOUNDS[name];
  const [kind, codec] = name[0] === "a" ? (["audio", "mp4a.40.2"] as const) : (["video", "avc1.64001f"] as const);
  const facts = { name, kind, widthPx, heightPx, bitrateBps: BITRATES[name] ?? BITRATES["a1"]!, codec, timescale };
  const { bitrateBps } = facts;
  const first = { version: 0, codec, widthPx, heightPx, frameRate: kind === "video" ? 29.97 : null, bitrateBps };
  const formats = [first, ...(later[name] ?? [])];
  return { live: rendition, facts: sound === undefined ? facts : { ...facts, sound }, formats };
};
/** MPDs of broadcasts with several sounds. */
const SOUNDS: Record<string, SoundFacts> = {
  a2: { languageCode: "de", channels: 1 },
  a3: { languageCode: "en", isDescription: true, channels: 2 },
};
const withSounds = (renditions: LiveRendition[]): LiveRendition[] => {
  const sound = renditions.find(({ name }) => name === "a1")!;
  return [...renditions, ...Object.keys(SOUNDS).map((name) => ({ ...sound, name }))];
};

function onAir(
  renditions: LiveRendition[],
  change: {
    windowSeconds?: number | null;
    timing?: LiveTiming;
    omitsType?: boolean;
    protection?: Protection;
    captions?: CaptionChannel[];
  } = {},
  formats: Formats = {},
): OurMpd {
  const text = liveMpd({
    renditions: renditions.map((rendition) => asMpdRendition(rendition, formats)),
    timing: TIMING,
    windowSeconds: 60,
    channels: 2,
    base: "P/S/",
    location: "P.S.mpd",
    clockUri: "/P/S/time",
    nowMs: NOW_MS + 60_000,
    ...change,
  });
  return { text: text!, sizes: {} };
}

const session = (whole: number, openParts: number, change: Partial<LiveRendition> = {}) =>
  ["v720", "v360", "a1"].map((name) => live(name, whole, openParts, change));

/** The broadcaster was absent for 30 s after segment 4, and returned with another encoder. */
function reconnected(change: Partial<LiveRendition> = {}): LiveRendition[] {
  const renditions = session(8, 0, { periodStarts: [0, 5], discontinuities: [5], ...change });
  for (const { segments } of renditions)
    for (const segment of segments.slice(5)) {
      Object.assign(segment, { capturedAtMs: segment.capturedAtMs + 30_000, initVersion: 1 });
      segment.isDiscontinuous = segment.msn === 5;
    }
  return renditions;
}

/** The top rung was dropped after segment 2. */
function dropped(): LiveRendition[] {
  const [top, ...others] = session(6, 0);
  for (const segment of top!.segments.slice(3)) Object.assign(segment, { isGap: true, bytes: 0 });
  return [{ ...top!, periodStarts: [0, 3], droppedFrom: 3 }, ...others];
}

/** The broadcaster returned with smaller pictures, at another rate and profile. */
const SMALLER: Formats = {
  v720: [{ version: 1, codec: "avc1.42c01e", widthPx: 960, heightPx: 720, frameRate: 25, bitrateBps: 1_000_000 }],
  v360: [{ version: 1, codec: "avc1.42c015", widthPx: 480, heightPx: 360, frameRate: 25, bitrateBps: 1_000_000 }],
};

/** Media of these kinds begins with segment 5, in a run of its own. */
const lateFrom5 = (isLate: (name: string) => boolean): LiveRendition[] =>
  reconnected().map((one) =>
    isLate(one.name)
      ? { ...one, firstMsn: 5, segments: one.segments.slice(5), periodStarts: [5], olderDiscontinuities: 0 }
      : one,
  );
const isPicture = (name: string) => name[0] === "v";

/** The recording of a session, or a range of it. */
function recording(
  renditions: LiveRendition[],
  range: { first: number; last: number } | null = null,
  textTracks: TextTrack[] = [],
  formats: Formats = {},
): OurMpd {
  const ended = renditions.map((one) => ({ ...one, hasEnded: true }));
  const rows = recordedLists(ended, range).map(({ name, timescale, segments }): Rendition => {
    const [widthPx, heightPx] = SIZES[name] ?? [0, 0];
    const row = name === "a1" ? audioRow(name, []) : videoRow(name, widthPx, heightPx, []);
    const found = formatsIn(
      segments,
      asMpdRendition(
        ended.find((one) => one.name === name)!,
        formats,
      ).formats,
    );
    return { ...row, timescale, segments: found.length > 1 ? { ...segments, formats: found } : segments };
  });
  return onDemand({ ...facts("ready", rows), textTracks }, range?.first ?? 0);
}

const CAPTIONS: CaptionChannel[] = [
  { name: "cc1", languageCode: "und" },
  { name: "service2", languageCode: "es" },
];
const standard = { timing: { targetDurationSeconds: 2, partTargetMs: null } };
const firstSegment = (row: Rendition): Rendition => ({
  ...growing(row),
  segments: {
    durationTicks: row.segments.durationTicks.slice(0, 1),
    bytes: row.segments.bytes.slice(0, 1),
    keyframes: [],
  },
});

/** A clip from 2 s to 13 s. @param ownInit of its edges of the picture; null = that of the media */
function clip(ownInit: { bytes: number; sha256: string; codec: string } | null): OurMpd {
  const cut = {
    source: { ownerId: "film", startMs: 0, endMs: null, fileRange: { startMs: 0, endMs: null }, video: null },
    startMs: 2000,
    endMs: 13_000,
    mediaStartMs: 2000,
    mediaEndMs: 13_000,
    frames: { first: 50, end: 325 },
    firstSegment: 0,
    endSegment: 4,
    hasHead: true,
    hasTail: true,
  };
  const edge = (durationTicks: number, bytes: number) => ({ durationTicks, bytes, keyframes: [] });
  const pictures = [v720, v270].map((row) => ({ row, head: edge(50, 200_000), tail: edge(25, 90_000), ownInit }));
  const before = Math.floor((2 * RATE) / 1024) * 1024;
  const heard = [edge(toFrame(4) - before, 30_000), edge(Math.ceil((13 * RATE) / 1024) * 1024 - toFrame(12), 15_000)];
  const audio = { row: a1, head: { ...heard[0]!, startTicks: before }, tail: heard[1]!, ownInit: null };
  const rows = assembleClip("clip", cut, [...pictures, audio]).map(({ row }) => ({ ...a1, ...row }) as Rendition);
  return onDemand(facts("ready", rows));
}

export const OUR_MPDS: Record<string, () => OurMpd> = {
  "clip of a ladder": () => clip(null),
  "clip whose edges have another format": () => clip({ bytes: 700, sha256: "", codec: "avc1.64001e" }),
  ladder: () => onDemand(facts("ready", [v720, v270, a1])),
  "ladder with subtitles": () => onDemand({ ...facts("ready", [v720, v270, a1]), textTracks: SUBTITLES }),
  "encrypted ladder": () => onDemand(facts("ready", [v720, v270, a1]), 0, ENCRYPTED),
  "live, encrypted": () => onAir(session(8, 2), { protection: ENCRYPTED }),
  "ladder with two languages": () => onDemand(facts("ready", [v720, v270, a1, german])),
  "ladder with a description of the picture": () =>
    onDemand(facts("ready", [v720, v270, a1, { ...german, isDescription: true }])),
  passthrough: () => onDemand(facts("processing", [sourceVideo, sourceAudio])),
  "passthrough beside its ladder": () => onDemand(facts("processing", [sourceVideo, v720, v270, a1])),
  "passthrough of a single short segment": () =>
    onDemand(
      facts("processing", [
        { ...sourceVideo, segments: { durationTicks: [30], bytes: [70_000], keyframes: [] } },
        source(sound("source-a1", [1.2])),
      ]),
    ),
  "picture alone": () => onDemand({ ...facts("ready", [v720]), audioTrackCount: 0 }),
  "sound alone": () => onDemand(facts("ready", [a1])),
  "growing ladder, first segment": () => onDemand(facts("processing", [v720, v270, a1].map(firstSegment))),
  "growing ladder with subtitles": () =>
    onDemand({ ...facts("processing", [v720, v270, a1].map(growing)), textTracks: SUBTITLES }),
  "growing ladder": () => onDemand(facts("processing", [v720, v270, a1].map(growing))),
  recording: () => recording(session(8, 0)),
  "recording of several Periods": () => recording(reconnected()),
  "recording of several Periods with subtitles": () => recording(reconnected(), null, SUBTITLES),
  "recording of several formats": () => recording(reconnected(), null, [], SMALLER),
  "recording of sound with a late picture": () => recording(lateFrom5(isPicture)),
  "recording of a picture with late sound": () => recording(lateFrom5((name) => !isPicture(name))),
  "clip window of several formats": () => recording(reconnected(), { first: 3, last: 6 }, [], SMALLER),
  "recording without one rung in a Period": () => recording(dropped()),
  "clip window": () => recording(session(8, 0), { first: 3, last: 6 }),
  "clip window of several Periods": () => recording(reconnected(), { first: 3, last: 6 }),
  "live, first part": () => onAir(session(0, 1)),
  "live, within a segment": () => onAir(session(3, 2)),
  "live, at a segment's end": () => onAir(session(4, 0)),
  "live, a full window": () => onAir(session(100, 3)),
  "live, with captions": () => onAir(session(8, 2), { captions: CAPTIONS }),
  "live, several sounds": () => onAir(withSounds(session(8, 2)), { captions: CAPTIONS }),
  "live, several sounds, after a reconnect": () => onAir(withSounds(reconnected())),
  "live, DVR": () => onAir(session(100, 3), { windowSeconds: null }),
  "live, after a reconnect": () => onAir(reconnected()),
  "live, after a reconnect with another format": () => onAir(reconnected(), {}, SMALLER),
  "live, sound with a late picture": () => onAir(lateFrom5(isPicture)),
  "live, a picture with late sound": () => onAir(lateFrom5((name) => !isPicture(name))),
  "live, the window within the second Period": () => onAir(reconnected(), { windowSeconds: 4 }),
  "live, without one rung": () => onAir(dropped()),
  "live, standard latency": () => onAir(session(40, 0), standard),
  "live, sound alone": () => onAir([live("a1", 6, 2)]),
  ended: () => onAir(session(5, 0, { hasEnded: true })),
  "ended, cut to its window": () => onAir(session(100, 0, { hasEnded: true })),
  "ended, at the stream's address": () => onAir(session(5, 0, { hasEnded: true }), { omitsType: true }),
  "ended, several Periods": () => onAir(reconnected({ hasEnded: true })),
};
