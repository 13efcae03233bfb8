/** Synchronizes a broadcast's simulcast pushes with the stream's targets, and reports their states. */
import { randomUUID } from "node:crypto";
import { logWarning } from "../../../protocol/log.ts";
import { pause } from "../../platform/pause.ts";
import type { SessionClient } from "../worker/session-client.ts";
import { SimulcastPusher } from "./pusher.ts";
import { reportOf, type SimulcastFailure, type SimulcastState } from "./target.ts";
import type { SourceBuffer } from "../source/source-buffer.ts";

/** Poll interval for enabled and disabled targets. */
const POLL_MS = 5000;

export class Simulcast {
  readonly #source: SourceBuffer;
  readonly #client: SessionClient;
  readonly #ids: { streamId: string; sessionId: string };
  readonly #end = new AbortController();
  /** The last report on each target, as text. */
  readonly #reported = new Map<string, string>();
  #reporting: Promise<unknown> = Promise.resolve();
  #pusher: SimulcastPusher | null = null;

  constructor(source: SourceBuffer, client: SessionClient, ids: { streamId: string; sessionId: string }) {
    this.#source = source;
    this.#client = client;
    this.#ids = ids;
  }

  /** Runs until `close`. A stream without targets is polled only once. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#end;
    let stopListening = () => {};
    while (!signal.aborted) {
      const found = await this.#client.targets().catch((error: unknown) => {
        if (!signal.aborted) logWarning("simulcast.targets_unknown", { ...this.#ids, reason: String(error) });
        return null;
      });
      if (found?.total === 0) return;
      if (found !== null && !signal.aborted) {
        if (this.#pusher === null && found.targets.length > 0) {
          const { allowsPrivateNetwork: allowPrivateNetwork } = found;
          const onState = (id: string, state: SimulcastState, failure?: SimulcastFailure) =>
            this.#report(id, state, failure);
          const pusher = new SimulcastPusher(this.#ids, { allowPrivateNetwork, onState });
          this.#pusher = pusher;
          stopListening = this.#source.listen((unit) => pusher.push(unit));
        }
        this.#pusher?.retarget(found.targets);
      }
      await pause(POLL_MS, signal);
    }
    stopListening();
    await this.#pusher?.end();
    await this.#reporting;
  }

  /** The broadcast is over: pushes send their queued media and end. */
  close(): void {
    this.#end.abort();
  }

  /** Reports each change once. Retries that fail for the same reason are only logged. */
  #report(simulcastId: string, state: SimulcastState, failure?: SimulcastFailure): void {
    const reported = reportOf(state, failure);
    const text = JSON.stringify(reported);
    if (this.#reported.get(simulcastId) === text) return;
    this.#reported.set(simulcastId, text);
    const message = { eventId: randomUUID(), simulcastId, ...reported, at: Date.now() };
    this.#reporting = this.#reporting.then(() =>
      this.#client
        .reportTarget(message)
        .catch((error: unknown) =>
          logWarning("simulcast.state_not_reported", { ...this.#ids, simulcastId, reason: String(error) }),
        ),
    );
  }
}
