/**
 * Derives the times of packets without timestamps. In MPEG-TS, one PTS covers several AAC frames of a PES packet. libav derives the other
 * times only once the sample rate is known, which is after the first PES packet. Some encoders stamp all frames of one capture buffer with
 * the time of the first; the others begin where the frame before ends.
 */
import type { Packet, Stream } from "node-av/lib";
import { AV_NOPTS_VALUE } from "node-av/constants";

export interface TimedStream {
  index: number;
  timeBase: { num: number; den: number };
  codecpar: Pick<Stream["codecpar"], "frameSize" | "sampleRate">;
}
export type Times = Pick<Packet, "pts" | "dts" | "duration">;

export class PacketTimes {
  /** End of each stream's last packet in ticks, by stream index. */
  readonly #ends = new Map<number, number>();
  /** Timestamp of each stream's last packet that had one, by stream index. */
  readonly #stamps = new Map<number, bigint>();

  /**
   * A packet without timestamps, or of sound with that of the packet before, starts at the end of the previous packet.
   * @returns its decode time in ticks; null when no packet of its stream has had a timestamp yet
   */
  complete(packet: Times, stream: TimedStream): bigint | null {
    let ticks = packet.dts === AV_NOPTS_VALUE ? packet.pts : packet.dts;
    let begins = Number(ticks);
    const isSound = stream.codecpar.sampleRate > 0;
    const isRepeated = isSound && ticks !== AV_NOPTS_VALUE && ticks === this.#stamps.get(stream.index);
    if (ticks !== AV_NOPTS_VALUE) this.#stamps.set(stream.index, ticks);
    if (ticks === AV_NOPTS_VALUE || isRepeated) {
      const end = this.#ends.get(stream.index);
      if (end === undefined) return null;
      begins = end;
      ticks = BigInt(Math.round(end));
      packet.dts = ticks;
      if (isSound) packet.pts = ticks; // pictures may be reordered
    }
    this.#ends.set(stream.index, begins + durationTicks(packet, stream));
    return ticks;
  }
}

function durationTicks({ duration }: Times, { codecpar, timeBase }: TimedStream): number {
  if (duration > 0n) return Number(duration);
  const { frameSize, sampleRate } = codecpar;
  return frameSize > 0 && sampleRate > 0 ? (frameSize * timeBase.den) / (sampleRate * timeBase.num) : 0;
}
