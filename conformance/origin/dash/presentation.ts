import { chunk, initSegment, join, TIMESCALE } from "../cmaf.ts";
import type { DashFault } from "./faults.ts";

export const SEGMENT_S = 1;
const CHUNKS = 4;
const WINDOW_SEGMENTS = 10;
const PERIOD_SEGMENTS = 4;
const SAMPLES = 6;
const NAMES = ["v2", "v1", "a1"] as const;
export type Name = (typeof NAMES)[number];

export interface Moment {
  /** Epoch ms of the presentation's beginning; null = on demand. */
  beganAtMs: number | null;
  nowMs: number;
  hasEnded: boolean;
  /** Whole segments so far. */
  segments: number;
  fault: DashFault | null;
}

type Attributes = Record<string, string | number | undefined>;

function tag(name: string, attributes: Attributes, ...children: string[]): string {
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${value}"`)
    .join("");
  return `<${name}${list}>${children.join("\n")}</${name}>`;
}

const iso = (ms: number) => new Date(ms).toISOString();

/** An MPD that conforms to all rules except that of its fault: low latency while on air, Periods of 4 s on demand. */
export function mpdText(moment: Moment): string {
  const { beganAtMs, nowMs, hasEnded, segments, fault } = moment;
  const isLive = beganAtMs !== null && !hasEnded;
  const published = fault === "publish time goes back" ? 2 * beganAtMs! - nowMs : nowMs;
  const root = {
    xmlns: "urn:mpeg:dash:schema:mpd:2011",
    profiles: "urn:mpeg:dash:profile:isoff-live:2011",
    minBufferTime: "PT1S",
    maxSegmentDuration: fault === "segments too long" ? "PT0.5S" : "PT1S",
    ...(isLive
      ? {
          type: "dynamic",
          availabilityStartTime: fault === "no availability start" ? undefined : iso(beganAtMs),
          publishTime: iso(published),
          minimumUpdatePeriod: "PT0.5S",
          timeShiftBufferDepth: "PT8S",
        }
      : {
          type: "static",
          mediaPresentationDuration: `PT${segments * SEGMENT_S}S`,
          minimumUpdatePeriod: fault === "static with an update period" ? "PT1S" : undefined,
        }),
  };
  const latency = tag("ServiceDescription", { id: 0 }, tag("Latency", { target: 1500 }));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    tag(
      "MPD",
      root,
      ...(isLive && fault !== "no latency target" ? [latency] : []),
      ...(beganAtMs === null
        ? onDemandPeriods(moment)
        : [period(moment, 0, Math.max(0, segments - WINDOW_SEGMENTS), segments)]),
      ...(isLive && fault !== "no clock"
        ? [tag("UTCTiming", { schemeIdUri: "urn:mpeg:dash:utc:http-iso:2014", value: "/time" })]
        : []),
    ),
  ].join("\n");
}

function onDemandPeriods(moment: Moment): string[] {
  const count = Math.ceil(moment.segments / PERIOD_SEGMENTS);
  return Array.from({ length: count }, (_, index) => {
    const first = index * PERIOD_SEGMENTS;
    return period(moment, first, first, Math.min(first + PERIOD_SEGMENTS, moment.segments));
  });
}

/** @param first of the Period; the window may begin behind it */
function period(moment: Moment, first: number, from: number, until: number): string {
  const { fault, beganAtMs } = moment;
  const overlapS = fault === "Periods overlap" && first > 0 ? 1 : 0;
  const start = `PT${first * SEGMENT_S - overlapS}S`;
  const duration = beganAtMs === null ? `PT${(until - first) * SEGMENT_S}S` : undefined;
  const list = (name: Name) => representation(moment, name, { first, from, until });
  const label = "<Label>Sound</Label>";
  const role = tag("Role", { schemeIdUri: "urn:mpeg:dash:role:2011", value: "main" });
  const common = { segmentAlignment: "true", startWithSAP: 1 };
  const picture = {
    id: 0,
    contentType: "video",
    mimeType: "video/mp4",
    par: fault === "no aspect ratio" ? undefined : "16:9",
    maxWidth: 128,
    maxHeight: 72,
    maxFrameRate: 24,
  };
  return tag(
    "Period",
    { id: `p${first}`, start, duration },
    tag("AdaptationSet", { ...picture, ...common }, role, list("v2"), list("v1")),
    tag(
      "AdaptationSet",
      { id: 1, contentType: "audio", mimeType: "audio/mp4", lang: "en", ...common },
      ...(fault === "Role before Label" ? [role, label] : [label, role]),
      list("a1"),
    ),
  );
}

interface Range {
  first: number;
  from: number;
  until: number;
}

function representation(moment: Moment, name: Name, { first, from, until }: Range): string {
  const { fault, beganAtMs, hasEnded } = moment;
  const isLive = beganAtMs !== null && !hasEnded;
  const isPicture = name !== "a1";
  const facts = isPicture
    ? {
        codecs: "avc1.64001f",
        width: name === "v2" ? 128 : 64,
        height: name === "v2" ? 72 : 36,
        frameRate: fault === "no frame rate" ? undefined : 24,
        sar: "1:1",
      }
    : { codecs: "mp4a", audioSamplingRate: TIMESCALE };
  const channels = tag("AudioChannelConfiguration", {
    schemeIdUri: "urn:mpeg:dash:23003:3:audio_channel_configuration:2011",
    value: 2,
  });
  const producer = tag("ProducerReferenceTime", {
    id: 0,
    type: "encoder",
    wallClockTime: iso(beganAtMs ?? 0),
    presentationTime: 0,
  });
  const missing = fault === "the end is missing" && name === "a1" ? 2 : 0;
  const vanishing = fault === "segments vanish" && until % 2 === 0 ? 3 : 0;
  const offset = fault === "offset of a segment" ? SEGMENT_S : (SEGMENT_S * (CHUNKS - 1)) / CHUNKS;
  return tag(
    "Representation",
    {
      id: fault === "an id twice" && isPicture ? "v2" : name,
      bandwidth: fault === "bandwidth too small" ? 100 : 50_000,
      ...facts,
    },
    ...(isPicture || fault === "no channels" ? [] : [channels]),
    ...(isLive && fault !== "no producer time" ? [producer] : []),
    tag(
      "SegmentTemplate",
      {
        timescale: TIMESCALE,
        presentationTimeOffset: first * SEGMENT_S * TIMESCALE,
        startNumber: from,
        ...(isLive ? { availabilityTimeOffset: offset, availabilityTimeComplete: "false" } : {}),
        initialization: `${name}-init.mp4`,
        media: `${name}-$Number$.m4s`,
      },
      timeline(moment, name, from, until - missing - vanishing + (isLive ? 1 : 0)),
    ),
  );
}

/** While on air, the segment in progress is listed too. */
function timeline({ fault, nowMs, beganAtMs }: Moment, name: Name, from: number, until: number): string {
  const ticks = SEGMENT_S * TIMESCALE;
  const movedTicks = fault === "segments move" ? Math.round((nowMs - beganAtMs!) / 10) : 0;
  const entries = [];
  for (let number = from; number < until; number += 1) {
    const isHole = fault === "a hole" && name === "a1" && number === from + 1;
    const shifted = fault === "not aligned" && name === "v1" && number > from ? ticks / 10 : 0;
    const longer = fault === "not aligned" && name === "v1" && number === from ? ticks / 10 : 0;
    entries.push(tag("S", { t: number * ticks + movedTicks + shifted + (isHole ? ticks / 2 : 0), d: ticks + longer }));
  }
  return tag("SegmentTimeline", {}, ...entries);
}

export function mediaBytes(name: Name, number: number | "init", fault: DashFault | null): Uint8Array {
  if (number === "init") return initSegment(name === "a1" ? "soun" : "vide", fault === "another codec" ? 42 : 31);
  const lateTicks = fault === "media begins late" ? TIMESCALE / 20 : 0;
  const shorterTicks = fault === "media is short" ? TIMESCALE / 20 / CHUNKS : 0;
  const ticks = (SEGMENT_S * TIMESCALE) / CHUNKS;
  return join(
    ...Array.from({ length: CHUNKS }, (_, index) =>
      chunk({
        startTicks: (number * CHUNKS + index) * ticks + lateTicks,
        durationTicks: ticks - shorterTicks,
        sampleCount: SAMPLES,
        beginsWithSync: name === "a1" || (index === 0 && fault !== "no sync sample"),
        seed: `${name} ${number}.${index}`,
      }),
    ),
  );
}

export const isName = (text: string): text is Name => (NAMES as readonly string[]).includes(text);
