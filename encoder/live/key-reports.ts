/** Reports the positions in the source at which a decoder can start. */
import type { TimedPacket } from "./live-source.ts";
import type { BroadcastListener } from "./output.ts";
import type { SoundShifts } from "./run-state.ts";

/** Every audio packet is a key packet. One per interval is reported. */
const SOUND_KEY_SECONDS = 0.5;

export class KeyReports {
  readonly #listener: Pick<BroadcastListener, "onKey">;
  #lastSeconds = -Infinity;

  constructor(listener: Pick<BroadcastListener, "onKey">) {
    this.#listener = listener;
  }

  /** Called with the packets of the stream that leads. @param soundShifts of the current run */
  note({ packet, kind, decodeSeconds: seconds }: TimedPacket, soundShifts: SoundShifts): void {
    if (!packet.isKeyframe || packet.pos < 0n) return;
    if (kind === "audio" && Math.abs(seconds - this.#lastSeconds) < SOUND_KEY_SECONDS) return;
    this.#lastSeconds = seconds;
    this.#listener.onKey?.({ seconds, position: Number(packet.pos), soundShifts });
  }
}
