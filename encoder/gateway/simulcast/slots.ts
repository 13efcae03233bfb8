/** Limits the simulcast child processes over all broadcasts of a gateway. Each uses about 90 MB. */
import { availableParallelism } from "node:os";

const FOR_EACH_CORE = 4;
const AT_LEAST = 8;

export class PushSlots {
  readonly #max: number;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns false when all are taken */
  take(): boolean {
    if (this.#taken >= this.#max) return false;
    this.#taken += 1;
    return true;
  }

  release(): void {
    this.#taken -= 1;
  }
}

export const mostPushes = (cores: number): number => Math.max(AT_LEAST, FOR_EACH_CORE * cores);

/** Slots of this process. */
export const gatewaySlots = new PushSlots(mostPushes(availableParallelism()));
