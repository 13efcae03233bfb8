import { and, asc, eq, ne, sql } from "drizzle-orm";
import type { SoundFacts } from "../../../../protocol/live.ts";
import { renditions } from "../../../library/assets/index.ts";
import { MAX_CHANNELS } from "../../../media/live/multivariant.ts";
import type { Span, VersionedFormat } from "../../../media/types.ts";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import type { RangeAnswer, RecordedSession, SegmentRange } from "./recorded-session.ts";
import { findRangeIn } from "./clips-range.ts";
import { type ListWindow, renditionOf } from "./recorded-range.ts";

/** Segments between two stored start times. */
const MARK_SEGMENTS = 256;
/** Approximate memory of a span, and of a format. */
const SPAN_BYTES = 100;

const FACTS = {
  name: renditions.name,
  kind: renditions.kind,
  codec: renditions.codec,
  widthPx: renditions.widthPx,
  heightPx: renditions.heightPx,
  frameRateNum: renditions.frameRateNum,
  frameRateDen: renditions.frameRateDen,
  channels: renditions.channels,
  languageCode: renditions.languageCode,
  languageName: renditions.languageName,
  isDescription: renditions.isDescription,
  timescale: renditions.timescale,
};

/** A finished recording in the form that clip lookups need. */
export interface RecordedIndex {
  renditions: IndexedRendition[];
  /** Start time of each `MARK_SEGMENTS`-th segment of the reference rendition, in ticks. */
  marks: Float64Array;
  reference: IndexedRendition;
  /** Approximate memory of the whole index. */
  sizeBytes: number;
}
type IndexedRendition = Facts & {
  durationTicks: Uint32Array;
  bytes: Uint32Array;
  spans: Span[];
  formats: VersionedFormat[];
};

/** Reads the rows of a recording one at a time, without sound that was added to it; null when there are none. */
export async function loadRecordedIndex(env: Env, sessionId: string): Promise<RecordedIndex | null> {
  const db = openDatabase(env.DB);
  const listOf = (name: string) => sql<string | null>`${renditions.segments} ->> ${`$.${name}`}`;
  const all = await db
    .select(FACTS)
    .from(renditions)
    .where(and(eq(renditions.assetId, sessionId), ne(renditions.origin, "track")))
    .orderBy(asc(renditions.name));
  const loaded: IndexedRendition[] = [];
  for (const facts of all) {
    const [row] = await db
      .select({
        durationTicks: listOf("durationTicks"),
        bytes: listOf("bytes"),
        spans: listOf("spans"),
        formats: listOf("formats"),
      })
      .from(renditions)
      .where(and(eq(renditions.assetId, sessionId), eq(renditions.name, facts.name)));
    if (row === undefined) return null; // purged meanwhile
    const numbers = (text: string | null) => Uint32Array.from(JSON.parse(text ?? "[]") as number[]);
    const spans = JSON.parse(row.spans ?? "[]") as Span[];
    const formats = row.formats === null ? [formatOf(facts)] : (JSON.parse(row.formats) as VersionedFormat[]);
    loaded.push({ ...facts, durationTicks: numbers(row.durationTicks), bytes: numbers(row.bytes), spans, formats });
  }
  const reference = referenceOf(loaded);
  if (reference === undefined) return null;
  const sizes = loaded.map(
    (one) => one.durationTicks.byteLength + one.bytes.byteLength + (one.spans.length + one.formats.length) * SPAN_BYTES,
  );
  const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
  return { renditions: loaded, marks: marksOf(reference), reference, sizeBytes };
}

/**
 * The rendition whose list gives the durations of all. The lists of a recording have one length, and a lost segment has the duration that
 * the other renditions have (`listsFrom`). Prefers the largest picture, as the live index does.
 */
function referenceOf(all: IndexedRendition[]): IndexedRendition | undefined {
  const area = ({ kind, widthPx, heightPx }: IndexedRendition) =>
    kind === "video" ? (widthPx ?? 0) * (heightPx ?? 0) : -1;
  return all.toSorted((one, other) => area(other) - area(one))[0];
}

function marksOf({ durationTicks }: IndexedRendition): Float64Array {
  const marks = new Float64Array(Math.ceil(durationTicks.length / MARK_SEGMENTS));
  let ticks = 0;
  for (const [n, duration] of durationTicks.entries()) {
    if (n % MARK_SEGMENTS === 0) marks[n / MARK_SEGMENTS] = ticks;
    ticks += duration;
  }
  return marks;
}

/** Finds the segments that cover a time range, as `findRange` does for a session on air. Pure. */
export function findRangeInIndex(index: RecordedIndex, startSeconds: number, endSeconds: number): RangeAnswer {
  const { timescale, durationTicks } = index.reference;
  const mark = Math.max(
    0,
    index.marks.findLastIndex((ticks) => ticks <= startSeconds * timescale),
  );
  const lengths = {
    edge: durationTicks.length - 1,
    hasEnded: true,
    from: { msn: mark * MARK_SEGMENTS, seconds: (index.marks[mark] ?? 0) / timescale },
    lengthAt: (msn: number) => (durationTicks[msn] ?? 0) / timescale,
  };
  return findRangeIn(lengths, startSeconds, endSeconds);
}

/** A range as on-demand media. Pure. */
export function windowOf({ renditions: all }: RecordedIndex, range: SegmentRange): RecordedSession {
  return {
    variants: all.map((row) => {
      const { name, kind, codec, widthPx, heightPx } = row;
      const sound = kind === "audio" ? { sound: soundOf(row) } : {};
      return { name, kind, codec, widthPx, heightPx, bitrateBps: 0, ...sound };
    }),
    channels: all.find(({ kind }) => kind === "audio")?.channels ?? 0,
    renditions: all.map((one) => ({
      ...renditionOf(one.name, one.timescale, listWindowOf(one, range), range.first),
      formats: one.formats,
    })),
  };
}

type Facts = Pick<typeof renditions.$inferSelect, keyof typeof FACTS>;

/** The format of all segments of a rendition. */
const formatOf = ({ codec, widthPx, heightPx, frameRateNum, frameRateDen }: Facts): VersionedFormat => ({
  version: 0,
  codec,
  widthPx,
  heightPx,
  frameRate: frameRateNum === null || frameRateDen === null ? null : frameRateNum / frameRateDen,
});

/** As `liveSound` reads it. */
function soundOf({ languageCode, languageName, isDescription, channels }: IndexedRendition): SoundFacts {
  const isUnknown = languageCode === null || languageCode === "und";
  return {
    ...(isUnknown ? {} : { languageCode }),
    ...(languageName === null ? {} : { title: languageName }),
    isDescription,
    channels: channels ?? MAX_CHANNELS,
  };
}

/** A range of a rendition's lists. */
function listWindowOf({ durationTicks, bytes, spans }: IndexedRendition, { first, last }: SegmentRange): ListWindow {
  const entered = spans.findLast((span) => span.first <= first) ?? null;
  let passedTicks = 0;
  for (let n = entered?.first ?? first; n < Math.min(first, durationTicks.length); n += 1)
    passedTicks += durationTicks[n]!;
  return {
    durationTicks: [...durationTicks.subarray(first, last + 1)],
    bytes: [...bytes.subarray(first, last + 1)],
    entered,
    passedTicks,
    later: spans.filter((span) => span.first > first && span.first <= last),
  };
}
