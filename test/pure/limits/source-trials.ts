/** Limits of sources: time limits for servers, and the parts of a file that the Worker reads. */
import { vi } from "vitest";
import { holdReload } from "../../../src/playback/held-reload.ts";
import { ArrivalWaits } from "../../../src/library/upload-machine/arrival-waits.ts";
import { judgeChunk, MAX_PIECES } from "../../../src/library/upload-machine/judge-chunk.ts";
import type { RangeReader } from "../../../src/media/mp4/range-reader.ts";
import { childBoxes } from "../../../src/media/mp4/boxes.ts";
import { findMoov } from "../../../src/media/mp4/find-moov.ts";
import { NotStandard } from "../../../src/media/mp4/not-standard.ts";
import { bufferedIndex, MAX_PIECE_BYTES, rangedIndex } from "../../../src/media/mp4/index-bytes.ts";
import { readSampleTable } from "../../../src/media/mp4/sample-table.ts";
import { readTracks } from "../../../src/media/mp4/track.ts";
import { checkPartNumber } from "../../../src/library/sources/copy-state.ts";
import { SOURCE_LIMITS } from "../../../src/library/sources/limits.ts";
import { sourceRetryDelayMs } from "../../../src/library/sources/retry-schedule.ts";
import type { SourceError } from "../../../src/library/sources/source-errors.ts";
import { SourcePace } from "../../../src/library/sources/source-pace.ts";
import { atLeast, TAKEN, until, upTo } from "../../support/limits/trials.ts";

/** One wait for bytes, with the product's own limits. */
async function wait(bytes: number, ms: number, deadlineMs = Infinity, overDeadline?: string): Promise<string> {
  let nowMs = 0;
  const pace = new SourcePace(SOURCE_LIMITS, deadlineMs, () => nowMs);
  await pace.during(
    async () => void (nowMs += ms),
    () => bytes,
  );
  if (pace.remainingMs > 0) return TAKEN;
  return (pace.isOverDeadline ? overDeadline : undefined) ?? "source_timed_out";
}

/** @param words in the refusal's message @returns `encoder` when the source is not standard, so that it must be encoded */
async function standard(read: () => unknown, words: RegExp): Promise<string> {
  try {
    await read();
    return TAKEN;
  } catch (error) {
    if (error instanceof NotStandard) return words.test(error.message) ? "encoder" : TAKEN;
    throw error;
  }
}

function box(type: string, ...contents: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(contents.reduce((sum, content) => sum + content.length, 8));
  new DataView(bytes.buffer).setUint32(0, bytes.length);
  bytes.set(new TextEncoder().encode(type), 4);
  let at = 8;
  for (const content of contents) {
    bytes.set(content, at);
    at += content.length;
  }
  return bytes;
}
const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength);
const words = (...values: number[]) => {
  const bytes = new Uint8Array(values.length * 4);
  values.forEach((value, n) => viewOf(bytes).setUint32(n * 4, value));
  return bytes;
};

/** A file of large boxes that contains only their headers. @param boxes type and size */
function sparse(boxes: [type: string, size: number][]): RangeReader {
  const headers: [at: number, bytes: Uint8Array][] = [];
  let size = 0;
  for (const [type, bytes] of boxes) {
    const header = box(type);
    viewOf(header).setUint32(0, bytes);
    headers.push([size, header]);
    size += bytes;
  }
  const read = async (offset: number, length: number) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
    for (const [at, header] of headers)
      if (at >= offset && at + header.length <= offset + bytes.length) bytes.set(header, at - offset);
    return bytes;
  };
  return { size, read };
}

const indexOf = (bytes: Uint8Array) => bufferedIndex(viewOf(bytes));

const sampleTable = async (samples: number) => {
  const index = indexOf(
    new Uint8Array([
      ...box("stsz", words(0, 100, samples)),
      ...box("stts", words(0, 1, samples, 1)),
      ...box("stsc", words(0, 1, 1, samples, 1)),
      ...box("stco", words(0, 1, 0)),
    ]),
  );
  return await readSampleTable(index, await childBoxes(index, 0, index.length));
};

async function withFakeTimers(run: () => Promise<string>): Promise<string> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  try {
    return await run();
  } finally {
    await vi.runAllTimersAsync(); // what still waits would count as waiting in the next trial
    vi.useRealTimers();
  }
}

/** Holds reloads of a playlist that does not grow. @returns whether one of them has been answered */
function holdReloads(count: number): () => string {
  let verdict = TAKEN;
  const listed = { list: { isComplete: false, segmentCount: 1 } };
  for (let held = 0; held < count; held++)
    void holdReload(new URLSearchParams("_HLS_msn=1"), listed, async () => listed).then(
      () => void (verdict = "answered"),
    );
  return () => verdict;
}

export const SOURCE_TRIALS = {
  "source-throughput": atLeast((bytesPerSecond) => wait(bytesPerSecond * 1e6, 1e9)),
  "source-grace": until((ms) => wait(0, ms)),
  "source-probe": until((ms) => wait(1e15, ms, SOURCE_LIMITS.probeMs, "encoder")),
  "source-part": until((ms) => wait(1e15, ms, SOURCE_LIMITS.partMs)),
  "source-retry-after": upTo((ms) => (sourceRetryDelayMs(1, ms) === ms ? TAKEN : "cut")),
  "source-tries": upTo((tries) => (sourceRetryDelayMs(tries - 1) === null ? "errored" : TAKEN)),
  "upload-wait": until((ms) =>
    withFakeTimers(async () => {
      let verdict = TAKEN;
      const waits = new ArrivalWaits(() => ({ status: "waiting", storedBytes: 0, totalBytes: null }));
      void waits.wait(1).then((hasArrived) => void (verdict = hasArrived ? "arrived" : "503"));
      await vi.advanceTimersByTimeAsync(ms);
      return verdict;
    }),
  ),
  "playlist-wait": until((ms) =>
    withFakeTimers(async () => {
      const answered = holdReloads(1);
      await vi.advanceTimersByTimeAsync(ms);
      return answered();
    }),
  ),
  "playlist-waits": upTo((count) =>
    withFakeTimers(async () => {
      const answered = holdReloads(count);
      await vi.advanceTimersByTimeAsync(0);
      return answered();
    }),
  ),
  "upload-waits": upTo(async (count) => {
    let storedBytes = 0;
    const waits = new ArrivalWaits(() => ({ status: "waiting", storedBytes, totalBytes: null }));
    const answers = Array.from({ length: count }, () => waits.wait(1));
    storedBytes = 1;
    waits.releaseDue();
    return (await Promise.all(answers)).every(Boolean) ? TAKEN : "503";
  }),
  "upload-pieces": upTo((count) => {
    const fresh = { status: "waiting" as const, storedBytes: 0, totalBytes: null };
    const bounds = { maxBytes: Infinity, piecesLeft: MAX_PIECES };
    const judged = judgeChunk(fresh, { offset: 0, length: 100, totalBytes: count * 100 }, bounds);
    const last = judgeChunk(
      fresh,
      { offset: 0, length: 100, totalBytes: null },
      { ...bounds, piecesLeft: MAX_PIECES - count + 1 },
    );
    return "take" in judged && "take" in last ? TAKEN : "400";
  }),
  "copy-parts": upTo((number) => {
    try {
      checkPartNumber(number);
      return TAKEN;
    } catch (error) {
      return (error as SourceError).code;
    }
  }),
  moov: upTo((bytes) =>
    standard(
      () =>
        findMoov(
          sparse([
            ["ftyp", 16],
            ["moov", bytes],
          ]),
          {},
        ),
      /larger/,
    ),
  ),
  "moov-reads": upTo((reads) => {
    const free = Array.from({ length: reads - 1 }, (): [string, number] => ["free", 100 << 20]);
    return standard(() => findMoov(sparse([...free, ["moov", 64]]), {}), /few reads/);
  }),
  "moov-boxes": upTo((count) => {
    const index = indexOf(new Uint8Array(Array.from({ length: count }, () => [...box("free")]).flat()));
    return standard(() => childBoxes(index, 0, index.length), /too many boxes/);
  }),
  "moov-tracks": upTo((count) => {
    const index = indexOf(new Uint8Array(Array.from({ length: count }, () => [...box("trak")]).flat()));
    return standard(() => readTracks(index), /too many tracks/);
  }),
  "moov-scattered-reads": upTo(async (reads) => {
    // Each track's box header is in a separate block.
    const content = new Uint8Array(reads * MAX_PIECE_BYTES);
    const index = rangedIndex(
      { size: content.length, read: (at, length) => Promise.resolve(content.slice(at, at + length)) },
      0,
      content.length,
      {},
    );
    return await standard(async () => {
      for (let block = 0; block < reads; block += 1) await index.piece(block * MAX_PIECE_BYTES, 8);
    }, /too many places/);
  }),
  "moov-samples": upTo((samples) => standard(() => sampleTable(samples), /too many samples/)),
};
