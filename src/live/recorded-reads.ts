import { Problem } from "../http/problems.ts";

/** Reads of finished recordings under way in one isolate. Each holds a window of at most 1,200 segments of each rendition. */
export const MAX_RECORDED_READS = 16;
/** A read that has not ended by then never will: the runtime drops the promises of a request whose client has gone. */
const LOST_AFTER_MS = 30_000;

const underWay = new Set<{ atMs: number }>();

/**
 * Runs a read of a finished recording, unless too many are under way: windows of strangers share the isolate's memory with everything else.
 *
 * @throws {Problem} unavailable, to be asked for again in a second
 */
export async function runRecordedRead<T>(read: () => Promise<T>): Promise<T> {
  const now = Date.now();
  for (const other of underWay) if (now - other.atMs > LOST_AFTER_MS) underWay.delete(other);
  if (underWay.size >= MAX_RECORDED_READS)
    throw new Problem("unavailable", "too many windows of recordings are being read", { retryAfterSeconds: 1 });
  const own = { atMs: now };
  underWay.add(own);
  try {
    return await read();
  } finally {
    underWay.delete(own);
  }
}
