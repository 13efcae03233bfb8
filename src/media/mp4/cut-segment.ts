import type { RangeReader } from "./range-reader.ts";
import { type ByteRange, type OpenIndex, openIndex, planInit, planSegment, type SegmentPlan } from "./index-file.ts";

/** Reading up to this many unneeded bytes is cheaper than another request. */
const MAX_GAP_BYTES = 512 * 1024;
/** Size of one read. A segment up to this size is buffered; a larger one is streamed read by read. */
const MAX_READ_BYTES = 6 * 1024 * 1024;

/** The bytes of one init or media segment, or a byte range of it. */
export interface CutSegment {
  /** Size of the whole segment, also when a range is requested. */
  bytes: number;
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

/**
 * Cuts one segment out of the source. It reads the index once and, because audio and video are interleaved, the source once or twice.
 *
 * @param file "init" or the segment's number, from 0
 * @param part given the size, returns the requested byte range [from, to); null = no body is needed
 * @returns null when there is no such index or segment
 */
export async function cutSegment(
  index: RangeReader,
  source: RangeReader,
  file: "init" | number,
  part: (bytes: number) => [number, number] | null = (bytes) => [0, bytes],
  opened?: OpenIndex,
): Promise<CutSegment | null> {
  const open = opened ?? (await openIndex(index));
  if (open === null) return null;
  const plan = file === "init" ? planInit(open) : await planSegment(index, open, file);
  if (plan === null) return null;
  const wanted = part(plan.bytes);
  if (wanted === null) return { bytes: plan.bytes, body: new Uint8Array(0) };
  const { head, ranges } = clip(plan, ...wanted);
  const reads = coalesce(ranges);
  if (reads.length <= 2 && reads.every((read) => read.length <= MAX_READ_BYTES)) {
    return { bytes: plan.bytes, body: await inMemory(source, head, reads, wanted[1] - wanted[0]) };
  }
  return { bytes: plan.bytes, body: await streamed(source, head, reads) };
}

interface Read extends ByteRange {
  pieces: ByteRange[];
}

/** Joins nearby byte ranges into reads of at most `MAX_READ_BYTES`, and splits longer ranges. */
export function coalesce(ranges: ByteRange[]): Read[] {
  const reads: Read[] = [];
  for (const range of ranges) {
    for (let done = 0; done < range.length;) {
      const offset = range.offset + done;
      const last = reads.at(-1);
      const gap = last ? offset - (last.offset + last.length) : -1;
      const room = last ? MAX_READ_BYTES - last.length - gap : 0;
      if (last && gap >= 0 && gap <= MAX_GAP_BYTES && room > 0) {
        const length = Math.min(range.length - done, room);
        last.pieces.push({ offset, length });
        last.length += gap + length;
        done += length;
      } else {
        const length = Math.min(range.length - done, MAX_READ_BYTES);
        reads.push({ offset, length, pieces: [{ offset, length }] });
        done += length;
      }
    }
  }
  return reads;
}

function clip(plan: SegmentPlan, from: number, to: number): { head: Uint8Array; ranges: ByteRange[] } {
  const ranges: ByteRange[] = [];
  let at = plan.head.length;
  for (const range of plan.ranges) {
    const start = Math.max(from, at);
    const end = Math.min(to, at + range.length);
    if (end > start) ranges.push({ offset: range.offset + (start - at), length: end - start });
    at += range.length;
  }
  return { head: plan.head.subarray(from, to), ranges };
}

async function inMemory(
  source: RangeReader,
  head: Uint8Array,
  reads: Read[],
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(bytes);
  body.set(head);
  let at = head.length;
  const parts = await Promise.all(reads.map((read) => piecesOf(source, read)));
  for (const piece of parts.flat()) {
    body.set(piece, at);
    at += piece.length;
  }
  return body;
}

/**
 * Holds at most two reads in memory: the one being sent and the one being fetched. The first one is made before anything is sent, so that a source
 * that cannot be read is an error, and not the end of a response.
 */
async function streamed(source: RangeReader, head: Uint8Array, reads: Read[]): Promise<ReadableStream<Uint8Array>> {
  let next = 0;
  const fetchNext = () => {
    const read = reads[next++];
    if (read === undefined) return null;
    const pending = piecesOf(source, read);
    pending.catch(() => undefined); // The error is reported by the await below; until then it must not count as unhandled.
    return pending;
  };
  let ahead = fetchNext();
  await ahead;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        if (head.length > 0) controller.enqueue(head);
      },
      pull: async (controller) => {
        if (ahead === null) return controller.close();
        const pieces = await ahead;
        ahead = fetchNext();
        for (const piece of pieces) controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
}

async function piecesOf(source: RangeReader, read: Read): Promise<Uint8Array[]> {
  const bytes = await source.read(read.offset, read.length);
  if (bytes.length !== read.length) throw new Error("the source is shorter than its index");
  return read.pieces.map(({ offset, length }) => bytes.subarray(offset - read.offset, offset - read.offset + length));
}
