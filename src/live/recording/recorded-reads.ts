import { Problem } from "../../platform/http/problems.ts";

/** Windows of finished recordings that one isolate reads at once: each has at most 1,200 segments of each rendition. */
export const MAX_RECORDED_READS = 16;
/** Recordings that one isolate loads at once: each passes through memory as JSON, 2 MB at a time. */
export const MAX_RECORDED_LOADS = 2;
/** A read that has not ended by then never will: the runtime drops the promises of a request whose client has gone. */
const LOST_AFTER_MS = 30_000;

/** Runs reads unless `most` of them are under way: what strangers ask for shares the isolate's memory with everything else. */
function bounded(most: number): <T>(read: () => Promise<T>) => Promise<T> {
  const underWay = new Set<{ atMs: number }>();
  return async (read) => {
    const now = Date.now();
    for (const other of underWay) if (now - other.atMs > LOST_AFTER_MS) underWay.delete(other);
    if (underWay.size >= most) throw tooManyReads();
    const own = { atMs: now };
    underWay.add(own);
    try {
      return await read();
    } finally {
      underWay.delete(own);
    }
  };
}

export const tooManyReads = (): Problem =>
  new Problem("unavailable", "too many windows of recordings are being read", { retryAfterSeconds: 1 });

/** @throws {Problem} unavailable, to be asked for again in a second */
export const runRecordedRead = bounded(MAX_RECORDED_READS);
/** @throws {Problem} unavailable, to be asked for again in a second */
export const runRecordedLoad = bounded(MAX_RECORDED_LOADS);
