/** Decides whether a broadcaster is silent. Pure. */

/** The broadcaster counts as sending when bytes arrived within this time. */
const FRESH_MS = 1500;
/** A broadcaster that sends nothing is disconnected: after FIRST_BYTES_MS at the start, after SILENCE_MS later on. */
const FIRST_BYTES_MS = 10_000;
const SILENCE_MS = 60_000;

/** All times on the monotonic clock. @param lastByteAtMs null before the first byte */
export function silenceOf(
  nowMs: number,
  lastByteAtMs: number | null,
  beganAtMs: number,
): { isSilent: boolean; isTooLong: boolean } {
  const silentMs = nowMs - (lastByteAtMs ?? beganAtMs);
  return {
    isSilent: lastByteAtMs === null || silentMs > FRESH_MS,
    isTooLong: silentMs > (lastByteAtMs === null ? FIRST_BYTES_MS : SILENCE_MS),
  };
}
