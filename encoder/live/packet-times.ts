/**
 * Times of packets that carry none. MPEG-TS has one PTS for several AAC frames in a PES; libav derives the others, but not before it
 * knows the sample rate, which is after the first PES.
 */
import type { Packet, Stream } from "node-av";
import { AV_NOPTS_VALUE } from "node-av/constants";

export interface TimedStream {
  index: number;
  timeBase: { num: number; den: number };
  codecpar: Pick<Stream["codecpar"], "frameSize" | "sampleRate">;
}
export type Times = Pick<Packet, "pts" | "dts" | "duration">;

export class PacketTimes {
  /** Of each stream, by index: the tick at which its last packet ends. */
  readonly #ends = new Map<number, number>();

  /**
   * A packet without any time begins where the packet before it ends.
   * @returns its decode time in ticks; null when its stream has had no time yet
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
      if (stream.codecpar.sampleRate > 0) packet.pts = ticks; // pictures may be shown in another order
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
