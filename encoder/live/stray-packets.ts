/** Buffers audio packets after a jump of the source's timestamps, until the picture has jumped to the same timeline. */
import type { TimedPacket } from "./live-source.ts";

/** Limit per sound. */
const MAX_STRAYS = 200;

export class StrayPackets {
  readonly #most: number;
  #packets: TimedPacket[] = [];

  /** @param sounds of the broadcast */
  constructor(sounds: number) {
    this.#most = MAX_STRAYS * Math.max(1, sounds);
  }

  /** Takes ownership of the packet. Drops the oldest one when there are too many. */
  put(timed: TimedPacket): void {
    if (this.#packets.push(timed) > this.#most) this.#packets.shift()!.packet.free();
  }

  /** Returns all packets and passes on their ownership. */
  take(): TimedPacket[] {
    return this.#packets.splice(0);
  }

  close(): void {
    for (const { packet } of this.#packets) packet.free();
    this.#packets = [];
  }
}
