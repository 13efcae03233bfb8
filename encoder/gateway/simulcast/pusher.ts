/** Pushes a broadcast, as it is, to other servers. None of them can hold it up: nothing here waits, and each has a process of its own. */
import { log } from "../../log.ts";
import type { Unit } from "../container-units.ts";
import { TargetPush } from "./target-push.ts";
import type { SimulcastReason, SimulcastState, SimulcastTarget } from "./target.ts";

export interface SimulcastOptions {
  /** Also to private and local addresses: for local work. */
  allowPrivateNetwork: boolean;
  /** How long a target may take to accept the broadcast, or a piece of it (10 s). */
  patienceMs?: number;
  /** What waits for a slow target (8 MiB). */
  queueBytes?: number;
  onState(simulcastId: string, state: SimulcastState, reason?: SimulcastReason): void;
}

export class SimulcastPusher {
  readonly #targets: TargetPush[];
  readonly #head = new Map<string, Buffer>();

  /** @param ids for the log */
  constructor(targets: SimulcastTarget[], ids: Record<string, string>, options: SimulcastOptions) {
    this.#targets = targets.map(
      (target) =>
        new TargetPush(target, {
          patienceMs: 10_000,
          queueBytes: 8 << 20,
          ...options,
          head: () => [...this.#head].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, bytes]) => bytes),
          onState: (state, reason, detail) => {
            const { simulcastId } = target;
            log(state === "failed" || state === "disconnected" ? "warn" : "info", "simulcast.state", {
              ...ids,
              simulcastId,
              state,
              ...(reason === undefined ? {} : { reason }),
              ...(detail === undefined ? {} : { detail }),
            });
            if (reason === undefined) options.onState(simulcastId, state);
            else options.onState(simulcastId, state, reason);
          },
        }),
    );
  }

  /** The broadcast's next piece, from its first on. Neither waits nor throws. */
  push(unit: Unit): void {
    for (const target of this.#targets) target.push(unit);
    if (unit.head !== null) this.#head.set(unit.head, unit.bytes);
  }

  /** Resolves when every target has had what waits for it, or has shown that it does not want it. */
  async end(): Promise<void> {
    await Promise.all(this.#targets.map((target) => target.end()));
  }
}
