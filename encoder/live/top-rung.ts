/** The rung that may be copied from the source. An encoder produces it in the phases `lead` and `encoded`. */
import type { CopiedRung } from "./copied-rung.ts";
import type { LiveRung } from "./live-rung.ts";
import type { PictureLadder } from "./picture-ladder.ts";
import type { CopyPhase } from "./run-state.ts";

export class TopRung {
  readonly copied: CopiedRung;
  /** Encodes the rung while it is not copied; part of the ladder during that time. */
  readonly lead: LiveRung;
  #phase: CopyPhase;

  /** Closes the encoder if the rung is copied from the start. */
  constructor(copied: CopiedRung, lead: LiveRung, phase: CopyPhase) {
    this.copied = copied;
    this.lead = lead;
    this.#phase = phase;
    if (phase === "copied") lead.close();
  }

  get phase(): CopyPhase {
    return this.#phase;
  }

  /** Ends the lead phase: the rung is copied from here on, or encoded until the end of the run. */
  async endLead(ladder: PictureLadder, canCopy: boolean): Promise<void> {
    this.#phase = canCopy ? "copied" : "encoded";
    if (!canCopy) return;
    await ladder.remove([this.lead]);
    await this.lead.encode(null);
    this.lead.close();
  }
}
