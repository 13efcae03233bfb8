/**
 * Derives the times of packets without timestamps. In MPEG-TS, one PTS covers several AAC frames of a PES packet. libav derives the other
 * times only once the sample rate is known, which is after the first PES packet.
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

  /**
   * A packet without timestamps starts at the end of the previous packet.
   * @returns its decode time in ticks; null when no packet of its stream has had a timestamp yet
   */
  complete(packet: Times, stream: TimedStream): bigint | null {
    let ticks = packet.dts === AV_NOPTS_VALUE ? packet.pts : packet.dts;
    let begins = Number(ticks);
    if (ticks === AV_NOPTS_VALUE) {
      const end = this.#ends.get(stream.index);
      if (end === undefined) return null;
      begins = end;
      ticks = BigInt(Math.round(end));
      packet.dts = ticks;
      if (stream.codecpar.sampleRate > 0) packet.pts = ticks; // pictures may be reordered
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
