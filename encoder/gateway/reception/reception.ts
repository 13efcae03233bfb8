/** Admits broadcasters that the Worker authorizes, up to the gateway's capacity. */
import { startBroadcastChild } from "../../live/broadcast-process.ts";
import { errorFields } from "../../../protocol/error-fields.ts";
import type { AuthorizeAnswer } from "../../../protocol/live.ts";
import { log, logError, logWarning } from "../../../protocol/log.ts";
import { SpareProcess } from "../../platform/spare-process.ts";
import type { Admission, HangUp, Incoming, Reception } from "./incoming.ts";
import { LiveBroadcast } from "./live-broadcast.ts";
import { networkOfRemote } from "./network-of-remote.ts";
import { SourceBuffer } from "../source/source-buffer.ts";
import type { WorkerClient } from "../worker/worker-client.ts";

const CLAIM_MS = 20_000;
/**
 * How long a broadcaster that returns waits for the encoder of its broadcast before, which then loses nothing. After that it replaces the
 * broadcast, as at any other gateway.
 */
const LEAVING_MS = 2000;
/** Maximum pending authorizations. */
const MAX_PENDING = 256;

export interface ReceptionOptions {
  gatewayId: string;
  /** Start time of this process, epoch ms. */
  startedAt: number;
  /** Maximum concurrent broadcasts. */
  capacity: number;
}

type Accepted = Extract<AuthorizeAnswer, { accepted: true }>;

interface RunningBroadcast {
  broadcast: LiveBroadcast;
  streamKey: string;
  /** False while the encoder finishes what the broadcaster left behind. */
  isConnected: boolean;
  over: Promise<void>;
}

export class GatewayReception implements Reception {
  readonly #worker: WorkerClient;
  readonly #options: ReceptionOptions;
  readonly #running = new Set<RunningBroadcast>();
  readonly #encoders = new SpareProcess(
    () => startBroadcastChild(),
    ({ message }) => logWarning("encoder.no_spare", { reason: message }),
  );
  #slotsTaken = 0;
  #pending = 0;
  #isClosed = false;

  constructor(worker: WorkerClient, options: ReceptionOptions) {
    this.#worker = worker;
    this.#options = options;
  }

  /** Starts a spare encoder before the first broadcast. */
  prepare(): void {
    this.#encoders.prepare();
  }

  passphraseOf = (streamKey: string, remote: string) =>
    this.#worker.passphrase({ gatewayId: this.#options.gatewayId, streamKey, network: networkOfRemote(remote) });

  /** A fault of the gateway costs this broadcaster alone. */
  async admit(incoming: Incoming): Promise<Admission> {
    try {
      return await this.#admit(incoming);
    } catch (error) {
      const { protocol, remote } = incoming;
      logError("reception.failed", { protocol, remote, ...errorFields(error) });
      return { accepted: false, reason: "unavailable" };
    }
  }

  async #admit(incoming: Incoming): Promise<Admission> {
    const { protocol, streamKey, remote } = incoming;
    const { capacity } = this.#options;
    await this.#leaving(streamKey);
    if (this.#isClosed) return { accepted: false, reason: "unavailable" };
    // A slot is taken only after authorization, so that invalid keys cannot occupy slots. Simultaneous requests may exceed the capacity.
    const replaced = this.#of(streamKey).some(({ isConnected }) => !isConnected) ? 1 : 0;
    if (this.#slotsTaken - replaced >= capacity || this.#pending >= MAX_PENDING) {
      // The Worker would refuse a key that is on air as busy; its owner can act on that, and not on a full gateway.
      const reason = this.#isOnAir(streamKey) ? "busy" : "overloaded";
      logWarning("broadcaster.refused", { reason, protocol, remote, capacity });
      return { accepted: false, reason };
    }
    const answer = await this.#authorize(incoming);
    if (!answer.accepted) {
      log("broadcaster.refused", { reason: answer.reason, protocol, remote });
      return answer;
    }
    this.#slotsTaken += 1;
    const { streamId, sessionId } = answer;
    log("broadcaster.accepted", { streamId, sessionId, protocol, remote });
    let isSlotTaken = true;
    const release = () => {
      if (isSlotTaken) this.#slotsTaken -= 1;
      isSlotTaken = false;
    };
    // Release the slot if the listener loses its broadcaster and never calls `take`. It may call it later than that.
    const unclaimed = setTimeout(release, CLAIM_MS);
    const take = async (bytes: AsyncIterable<Uint8Array>, hangUp: HangUp) => {
      clearTimeout(unclaimed);
      let hasHungUp = false;
      const once: HangUp = (reason) => {
        if (!hasHungUp) hangUp(reason);
        hasHungUp = true;
      };
      try {
        await this.#run(answer, streamKey, bytes, once);
      } catch (error) {
        logError("broadcast.failed", { streamId, sessionId, ...errorFields(error) });
        once("encoder_failed");
      } finally {
        release();
      }
    };
    return { accepted: true, streamId, sessionId, take };
  }

  async #authorize({ protocol, streamKey, passphrase, remote }: Incoming) {
    const { gatewayId, startedAt } = this.#options;
    this.#pending += 1;
    try {
      this.#encoders.prepare(); // starts while the Worker authorizes
      return await this.#worker.authorize({
        gatewayId,
        gatewayStartedAt: startedAt,
        protocol,
        streamKey,
        ...(protocol === "http" ? {} : { network: networkOfRemote(remote) }), // a push comes from the Worker
        ...(passphrase === undefined ? {} : { passphrase }),
      });
    } finally {
      this.#pending -= 1;
    }
  }

  async #run(session: Accepted, streamKey: string, bytes: AsyncIterable<Uint8Array>, hangUp: HangUp): Promise<void> {
    const source = new SourceBuffer();
    const broadcast = new LiveBroadcast(source, session, hangUp, () => this.#encoders.take());
    const entry = { broadcast, streamKey, isConnected: true, over: broadcast.run() };
    void source.fill(bytes).then(() => {
      entry.isConnected = false;
      broadcast.onSourceEnded();
    });
    this.#running.add(entry);
    try {
      await entry.over;
    } finally {
      this.#running.delete(entry);
    }
  }

  /** Waits until no encoder finishes a broadcast of this key that is over, at most `LEAVING_MS`. */
  async #leaving(key: string): Promise<void> {
    const over = this.#of(key).flatMap((one) => (one.isConnected ? [] : [one.over]));
    if (over.length === 0) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, LEAVING_MS);
    await Promise.race([Promise.all(over), late.promise]);
    clearTimeout(timer);
  }

  #of = (key: string) => [...this.#running].filter(({ streamKey }) => streamKey === key);

  #isOnAir = (key: string) => this.#of(key).some(({ isConnected }) => isConnected);

  /** Number of admitted broadcasts. */
  get broadcasts(): number {
    return this.#slotsTaken;
  }

  /** Stops admission and ends all running broadcasts gracefully. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#encoders.close();
    for (const { broadcast } of this.#running) broadcast.end("gateway_leaves");
    await Promise.all([...this.#running].map(({ over }) => over));
  }
}
