/** Reports the positions in the source at which a decoder can start. */
import type { TimedPacket } from "./live-source.ts";
import type { BroadcastListener } from "./output.ts";
import type { Kind } from "./source-timeline.ts";

/** Every audio packet is a key packet. One per interval is reported. */
const SOUND_KEY_SECONDS = 0.5;

export class KeyReports {
  /** The stream whose key packets are reported. */
  readonly #leader: Kind;
  readonly #listener: Pick<BroadcastListener, "onKey">;
  #lastSeconds = -Infinity;

  constructor(leader: Kind, listener: Pick<BroadcastListener, "onKey">) {
    this.#leader = leader;
    this.#listener = listener;
  }

  /** @param soundShift of the current run */
  note({ packet, kind, decodeSeconds: seconds }: TimedPacket, soundShift: number): void {
    if (kind !== this.#leader || !packet.isKeyframe || packet.pos < 0n) return;
    if (kind === "audio" && Math.abs(seconds - this.#lastSeconds) < SOUND_KEY_SECONDS) return;
    this.#lastSeconds = seconds;
    this.#listener.onKey?.({ seconds, position: Number(packet.pos), soundShift });
  }
}
