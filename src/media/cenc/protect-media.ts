import { boxHeader } from "../mp4/boxes.ts";
import { type Encrypt, VIDEO_PATTERN, WHOLE_PATTERN } from "./cbcs.ts";
import { ExactReader } from "./exact-reader.ts";
import { type FragmentRow, type FragmentTables, readFragment, UnreadableFragment } from "./read-fragment.ts";
import type { AvcSubsamples } from "./subsamples.ts";
import { protectedFragmentHeader } from "./write-fragment.ts";

/** How the samples of a track are protected; null = as a whole. */
export interface TrackProtection {
  encrypt: Encrypt;
  subsamples: AvcSubsamples | null;
}

/** Samples of one fragment that are held in memory. A longer fragment becomes several. */
const MAX_FRAGMENT_BYTES = 4 << 20;
/** Fragments that may come of one. They get consecutive numbers. */
const FRAGMENTS_PER_FRAGMENT = 64;
/** Boxes between the fragments: `styp`, `prft`. */
const MAX_OTHER_BYTES = 1 << 16;
const MAX_TABLE_BYTES = 4 << 20;

/**
 * Encrypts a media segment or a part of one (CMAF chunks) while it arrives. Samples keep their sizes; the tables grow.
 *
 * @throws {UnreadableFragment} also while the stream is read
 */
export async function* protectMedia(
  clear: ReadableStream<Uint8Array>,
  protection: TrackProtection,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = new ExactReader(clear);
  try {
    let tables: FragmentTables | null = null;
    for (;;) {
      const header = await reader.read(8);
      if (header === null) return;
      const { type, size } = boxHeader(new DataView(header.buffer), 0);
      if (type === "mdat") {
        if (tables === null) throw new UnreadableFragment("media data without tables");
        yield* protectSamples(reader, tables, size - 8, protection);
        tables = null;
        continue;
      }
      if (size < 8 || size > (type === "moof" ? MAX_TABLE_BYTES : MAX_OTHER_BYTES))
        throw new UnreadableFragment(`a '${type}' box of ${size} bytes`);
      const box = new Uint8Array(size);
      box.set(header);
      box.set(await required(reader, size - 8), 8);
      if (type === "moof") tables = readFragment(box);
      else yield box;
    }
  } finally {
    await reader.cancel();
  }
}

async function* protectSamples(
  reader: ExactReader,
  tables: FragmentTables,
  mediaBytes: number,
  protection: TrackProtection,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (tables.rows.reduce((sum, { bytes }) => sum + bytes, 0) !== mediaBytes)
    throw new UnreadableFragment("media data of another size than its samples");
  let { decodeTicks } = tables;
  for (const [n, rows] of batches(tables.rows).entries()) {
    const media = await required(reader, sizeOf(rows));
    const sequenceNumber = tables.sequenceNumber * FRAGMENTS_PER_FRAGMENT + n;
    yield* protectBatch({ ...tables, sequenceNumber, decodeTicks, rows }, media, protection);
    decodeTicks += rows.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
  }
}

async function* protectBatch(
  tables: FragmentTables,
  media: Uint8Array<ArrayBuffer>,
  { encrypt, subsamples }: TrackProtection,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let offset = 0;
  const samples = tables.rows.map(({ bytes }) => {
    offset += bytes;
    return { offset: offset - bytes, length: bytes };
  });
  if (subsamples === null) {
    await encrypt(media, samples, WHOLE_PATTERN);
    yield protectedFragmentHeader(tables, null);
  } else {
    const lists = samples.map((sample) => subsamples.of(media.subarray(sample.offset, sample.offset + sample.length)));
    const runs = samples.flatMap((sample, n) => {
      let at = sample.offset;
      return lists[n]!.map(({ clearBytes, protectedBytes }) => {
        at += clearBytes + protectedBytes;
        return { offset: at - protectedBytes, length: protectedBytes };
      });
    });
    await encrypt(media, runs, VIDEO_PATTERN);
    yield protectedFragmentHeader(tables, lists);
  }
  yield media;
}

/** Consecutive samples, as many as may be in memory; a larger one alone. */
function batches(rows: FragmentRow[]): FragmentRow[][] {
  const found: FragmentRow[][] = [[]];
  let bytes = 0;
  for (const row of rows) {
    const isFull = bytes > 0 && bytes + row.bytes > MAX_FRAGMENT_BYTES && found.length < FRAGMENTS_PER_FRAGMENT;
    if (isFull) {
      found.push([]);
      bytes = 0;
    }
    found.at(-1)!.push(row);
    bytes += row.bytes;
  }
  return found;
}

const sizeOf = (rows: FragmentRow[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);

async function required(reader: ExactReader, count: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await reader.read(count);
  if (bytes === null) throw new UnreadableFragment("the segment is shorter than its boxes");
  return bytes;
}
