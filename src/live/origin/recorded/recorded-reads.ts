import { atMost } from "../../../platform/at-most.ts";
import { Problem } from "../../../platform/http/problems.ts";

/** Concurrent reads of clip windows of finished recordings per isolate. Each has at most 1,200 segments per rendition. */
export const MAX_RECORDED_READS = 16;
/** Concurrent loads of recordings per isolate. Each parses JSON of up to 2 MB at a time. */
export const MAX_RECORDED_LOADS = 2;
const tooManyReads = (): Problem =>
  new Problem("unavailable", "too many clip windows of recordings are being read", { retryAfterSeconds: 1 });

/** @throws {Problem} unavailable; retry after a second */
export const runRecordedRead = atMost(MAX_RECORDED_READS, tooManyReads);
/** @throws {Problem} unavailable; retry after a second */
export const runRecordedLoad = atMost(MAX_RECORDED_LOADS, tooManyReads);

/** @throws {Problem} unavailable */
export function unlessBusy<T>(answer: T | "busy"): T {
  if (answer === "busy") throw tooManyReads();
  return answer;
}
