/** Lets broadcasters in, as many as the machine carries, when the Worker says so. */
import { startBroadcastChild } from "../live/broadcast-process.ts";
import { log, logWarning } from "../../protocol/log.ts";
import { SpareProcess } from "../spare-process.ts";
import type { Admission, HangUp, Incoming, Reception } from "./incoming.ts";
import { OnAir } from "./on-air.ts";
import { SourceLine } from "./source-line.ts";
import type { WorkerClient } from "./worker-client.ts";

const CLAIM_MS = 20_000;
/** Callers whose key the Worker is asked about. */
const MAX_UNDECIDED = 256;

export interface ReceptionOptions {
  gatewayId: string;
  /** When this process began, epoch ms. */
  startedAt: number;
  /** Broadcasts at once. */
  capacity: number;
}

export class GatewayReception implements Reception {
  readonly #worker: WorkerClient;
  readonly #options: ReceptionOptions;
  readonly #onAir = new Set<{ broadcast: OnAir; over: Promise<void> }>();
  readonly #encoders = new SpareProcess(startBroadcastChild, ({ message }) =>
    logWarning("encoder.no_spare", { reason: message }),
  );
  #places = 0;
  #undecided = 0;
  #isClosed = false;

  constructor(worker: WorkerClient, options: ReceptionOptions) {
    this.#worker = worker;
    this.#options = options;
  }

  /** Loads an encoder ahead of the first broadcast. */
  prepare(): void {
    this.#encoders.prepare();
  }

  passphraseOf = (streamKey: string) => this.#worker.passphrase(this.#options.gatewayId, streamKey);

  async admit({ protocol, streamKey, passphrase, remote }: Incoming): Promise<Admission> {
    const { gatewayId, startedAt, capacity } = this.#options;
    if (this.#isClosed) return { accepted: false, reason: "unavailable" };
    // Who has no good key takes nobody's place: one is taken when the Worker has said yes. Two at once may be one too many.
    if (this.#places >= capacity || this.#undecided >= MAX_UNDECIDED) {
      logWarning("broadcaster.refused", { reason: "overloaded", protocol, remote, capacity });
      return { accepted: false, reason: "overloaded" };
    }
    this.#undecided += 1;
    this.#encoders.prepare(); // it loads while the Worker is asked
    const answer = await this.#worker.authorize({
      gatewayId,
      gatewayStartedAt: startedAt,
      protocol,
      streamKey,
      ...(passphrase === undefined ? {} : { passphrase }),
    });
    this.#undecided -= 1;
    if (!answer.accepted) {
      log("broadcaster.refused", { reason: answer.reason, protocol, remote });
      return answer;
    }
    this.#places += 1;
    const { streamId, sessionId } = answer;
    log("broadcaster.accepted", { streamId, sessionId, protocol, remote });
    // A listener that loses its broadcaster in between never takes it: the place must not be lost with it.
    const unclaimed = setTimeout(() => (this.#places -= 1), CLAIM_MS);
    const take = async (bytes: AsyncIterable<Uint8Array>, hangUp: HangUp) => {
      clearTimeout(unclaimed);
      const line = new SourceLine();
      let hasHungUp = false;
      const once: HangUp = (reason) => {
        if (!hasHungUp) hangUp(reason);
        hasHungUp = true;
      };
      const broadcast = new OnAir(line, answer, once, () => this.#encoders.take());
      void line.fill(bytes);
      const entry = { broadcast, over: broadcast.run() };
      this.#onAir.add(entry);
      await entry.over;
      this.#onAir.delete(entry);
      this.#places -= 1;
    };
    return { accepted: true, streamId, sessionId, take };
  }

  /** How many are on air, or about to be. */
  get broadcasts(): number {
    return this.#places;
  }

  /** Nobody comes in any more, and who is on air is let go in good order. */
  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    this.#encoders.close();
    for (const { broadcast } of this.#onAir) broadcast.end(reason);
    await Promise.all([...this.#onAir].map(({ over }) => over));
  }
}
