/** Applies the spans of a clock to the packets of a demuxer. */
import type { Packet } from "node-av/lib";
import { AV_NOPTS_VALUE } from "node-av/constants";
import type { ClockSpan } from "../../../protocol/source-facts.ts";
import { CLOCK_HZ, reordering, WRAP_TICKS } from "./clock-spans.ts";

export class PacketClock {
  /** Null: timestamps stay as they are. */
  readonly #spans: ClockSpan[] | null;
  /** The position of the last packet, by stream: frames of one PES packet behind its first have none. */
  readonly #positions = new Map<number, number>();
  #position = 0;

  constructor(spans: ClockSpan[] | null) {
    this.#spans = spans;
  }

  /** The demuxer continues here. */
  moveTo(byte: number): void {
    this.#positions.clear();
    this.#position = byte;
  }

  /** Changes the timestamps of a packet. A presentation time that is obviously wrong is removed. */
  apply(packet: Packet): void {
    const { pts, dts, pos, streamIndex } = packet;
    if (pos >= 0n) {
      this.#position = Number(pos);
      this.#positions.set(streamIndex, this.#position);
    }
    const ticks = dts === AV_NOPTS_VALUE ? pts : dts;
    if (ticks === AV_NOPTS_VALUE) return;
    const at = this.#spans === null ? Number(ticks) : this.#placed(Number(ticks), streamIndex, this.#spans);
    if (dts !== AV_NOPTS_VALUE) packet.dts = BigInt(at);
    if (pts === AV_NOPTS_VALUE) return;
    const later = reordering(Number(ticks), Number(pts));
    packet.pts = later === null ? AV_NOPTS_VALUE : BigInt(at + later);
  }

  #placed(ticks: number, streamIndex: number, spans: ClockSpan[]): number {
    const position = this.#positions.get(streamIndex) ?? this.#position;
    const { shiftTicks, startMs } = spans.findLast(({ firstByte }) => firstByte <= position) ?? spans[0]!;
    const at = ticks + shiftTicks;
    const start = (startMs * CLOCK_HZ) / 1000;
    // libav may have unwrapped the time.
    return at - WRAP_TICKS * Math.round((at - start) / WRAP_TICKS);
  }
}
