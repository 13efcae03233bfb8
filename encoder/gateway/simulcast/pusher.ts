/** Pushes a broadcast without re-encoding to other servers. Each push is non-blocking and has its own process, so none can delay the broadcast. */
import { log, logWarning } from "../../../protocol/log.ts";
import type { Unit } from "../source/container-units.ts";
import { gatewaySlots, type PushSlots } from "./slots.ts";
import { TargetPush } from "./target-push.ts";
import type { SimulcastFailure, SimulcastState, SimulcastTarget } from "./target.ts";
import { SIMULCAST_QUEUE_BYTES } from "./tag-queue.ts";

const TIMEOUT_MS = 10_000;

export interface SimulcastOptions {
  /** Also allow private and local addresses, for development. */
  allowPrivateNetwork: boolean;
  /** Time limit for a target to accept the broadcast, or one tag. */
  timeoutMs?: number;
  /** Maximum bytes queued for a slow target. */
  queueBytes?: number;
  /** Default: the slots shared by all broadcasts of the gateway. */
  slots?: PushSlots;
  onState(simulcastId: string, state: SimulcastState, failure?: SimulcastFailure): void;
}

export class SimulcastPusher {
  readonly #ids: Record<string, string>;
  readonly #options: SimulcastOptions;
  readonly #pushes = new Map<string, { target: SimulcastTarget; push: TargetPush }>();
  readonly #head = new Map<string, Buffer>();

  /** @param ids for the log */
  constructor(ids: Record<string, string>, options: SimulcastOptions) {
    this.#ids = ids;
    this.#options = options;
  }

  /** Replaces the targets. New ones get the broadcast from the next entry point; removed ones end. */
  retarget(targets: SimulcastTarget[]): void {
    for (const [id, { target, push }] of this.#pushes) {
      if (targets.some((wanted) => isSame(wanted, target))) continue;
      this.#pushes.delete(id);
      void push.end();
    }
    for (const target of targets)
      if (!this.#pushes.has(target.simulcastId))
        this.#pushes.set(target.simulcastId, { target, push: this.#start(target) });
  }

  /** Takes every unit of the broadcast in order. Neither waits nor throws. */
  push(unit: Unit): void {
    for (const { push } of this.#pushes.values()) push.push(unit);
    if (unit.head !== null) this.#head.set(unit.head, unit.bytes);
  }

  /** Resolves when every target has received its queued media or has failed. */
  async end(): Promise<void> {
    await Promise.all([...this.#pushes.values()].map(({ push }) => push.end()));
  }

  #start(target: SimulcastTarget): TargetPush {
    const { allowPrivateNetwork, timeoutMs = TIMEOUT_MS, queueBytes = SIMULCAST_QUEUE_BYTES } = this.#options;
    const { slots = gatewaySlots } = this.#options;
    return new TargetPush(target, {
      allowPrivateNetwork,
      timeoutMs,
      queueBytes,
      slots,
      head: () => [...this.#head].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, bytes]) => bytes),
      onState: (state, failure) => this.#report(target, state, failure),
    });
  }

  #report({ simulcastId }: SimulcastTarget, state: SimulcastState, failure?: SimulcastFailure): void {
    const write = failure === undefined ? log : logWarning;
    write("simulcast.state", { ...this.#ids, simulcastId, state, ...failure });
    this.#options.onState(simulcastId, state, failure);
  }
}

const isSame = (a: SimulcastTarget, b: SimulcastTarget) =>
  a.simulcastId === b.simulcastId && a.url === b.url && a.streamKey === b.streamKey;
