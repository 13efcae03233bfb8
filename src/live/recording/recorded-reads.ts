import { Problem } from "../../platform/http/problems.ts";

/** Concurrent reads of clip windows of finished recordings per isolate. Each has at most 1,200 segments per rendition. */
export const MAX_RECORDED_READS = 16;
/** Concurrent loads of recordings per isolate. Each parses JSON of up to 2 MB at a time. */
export const MAX_RECORDED_LOADS = 2;
/** A read that takes longer never ends: when a client disconnects, the runtime drops the promises of its request. */
const LOST_AFTER_MS = 30_000;

/** Runs at most `most` reads at once. Anonymous requests cause them, and they share the isolate's memory with all other work. */
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

const tooManyReads = (): Problem =>
  new Problem("unavailable", "too many clip windows of recordings are being read", { retryAfterSeconds: 1 });

/** @throws {Problem} unavailable; retry after a second */
export const runRecordedRead = bounded(MAX_RECORDED_READS);
/** @throws {Problem} unavailable; retry after a second */
export const runRecordedLoad = bounded(MAX_RECORDED_LOADS);

/** @throws {Problem} unavailable */
export function unlessBusy<T>(answer: T | "busy"): T {
  if (answer === "busy") throw tooManyReads();
  return answer;
}
