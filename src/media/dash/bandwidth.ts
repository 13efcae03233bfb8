import { peakBitrate } from "../manifest/bandwidth.ts";
import type { Rendition } from "../manifest/model.ts";

/**
 * `Representation@bandwidth` in bits per second (ISO/IEC 23009-1 §5.3.5.2): over a channel of this rate, playback that starts at any
 * segment after `minBufferTime` never stalls. Each segment is needed completely when its playback starts. The result is never below the
 * HLS peak rate: players compare it with the throughput, and a long buffer would make a short asset appear to need less.
 */
export function dashBandwidth(row: Rendition, minBufferSeconds: number): number {
  const { durationTicks, bytes } = row.segments;
  const bufferRate = leastBufferRate(
    durationTicks.map((ticks) => ticks / row.timescale),
    bytes,
    minBufferSeconds,
  );
  return Math.max(peakBitrate(row), Math.ceil(bufferRate));
}

/**
 * The largest `bits(first…last) / (minBufferSeconds + duration(first…last-1))` of any consecutive segments. Dinkelbach's method: the
 * quotient of the best sequence at one rate is the next, higher rate to try, so a few passes over the list suffice.
 */
export function leastBufferRate(seconds: number[], bytes: number[], minBufferSeconds: number): number {
  let rate = 0;
  for (;;) {
    const next = bestSequenceAt(rate, seconds, bytes, minBufferSeconds);
    if (next <= rate * (1 + 1e-9)) return rate;
    rate = next;
  }
}

/** The quotient of the sequence with the largest excess of bits over those delivered at `rate`. */
function bestSequenceAt(rate: number, seconds: number[], bytes: number[], minBufferSeconds: number): number {
  let best = { excess: -Infinity, quotient: 0 };
  let sequence = { bits: 0, waitSeconds: minBufferSeconds };
  for (const [index, size] of bytes.entries()) {
    const isWorthKeeping = index > 0 && sequence.bits > rate * (sequence.waitSeconds - minBufferSeconds);
    sequence = isWorthKeeping ? sequence : { bits: 0, waitSeconds: minBufferSeconds };
    sequence = { ...sequence, bits: sequence.bits + size * 8 };
    const excess = sequence.bits - rate * sequence.waitSeconds;
    if (excess > best.excess) best = { excess, quotient: sequence.bits / sequence.waitSeconds };
    sequence = { ...sequence, waitSeconds: sequence.waitSeconds + seconds[index]! };
  }
  return best.quotient;
}
