/** Keeps a broadcast's simulcast targets as the stream's owner wants them at the moment, and tells what becomes of them. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { TargetState } from "../../protocol/live.ts";
import type { SessionClient } from "./session-client.ts";
import { SimulcastPusher } from "./simulcast/pusher.ts";
import type { SimulcastState } from "./simulcast/target.ts";
import type { SourceLine } from "./source-line.ts";

/** How soon a target that is switched on or off follows. */
const LOOK_MS = 5000;

export class Simulcast {
  readonly #line: SourceLine;
  readonly #client: SessionClient;
  readonly #ids: { streamId: string; sessionId: string };
  readonly #end = new AbortController();
  readonly #told = new Map<string, TargetState["state"]>();
  #telling: Promise<unknown> = Promise.resolve();
  #pusher: SimulcastPusher | null = null;

  constructor(line: SourceLine, client: SessionClient, ids: { streamId: string; sessionId: string }) {
    this.#line = line;
    this.#client = client;
    this.#ids = ids;
  }

  /** Until `close`; a stream without targets is asked once. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#end;
    let stopListening = () => {};
    while (!signal.aborted) {
      const found = await this.#client.targets().catch(() => null);
      if (found?.total === 0) return;
      if (found !== null && !signal.aborted) {
        if (this.#pusher === null && found.targets.length > 0) {
          const { allowsPrivateNetwork: allowPrivateNetwork } = found;
          const onState = (id: string, state: SimulcastState) => this.#tell(id, state);
          const pusher = new SimulcastPusher(this.#ids, { allowPrivateNetwork, onState });
          this.#pusher = pusher;
          stopListening = this.#line.listen((unit) => pusher.push(unit));
        }
        this.#pusher?.retarget(found.targets);
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
    stopListening();
    await this.#pusher?.end();
    await this.#telling;
  }

  /** The broadcast is over: targets get what waits for them. */
  close(): void {
    this.#end.abort();
  }

  /** Each beginning and each success once; how often a target was tried between them is for the log. */
  #tell(simulcastId: string, state: SimulcastState): void {
    const told = state === "connecting" ? "starting" : state === "active" ? "broadcasting" : null;
    if (told === null || this.#told.get(simulcastId) === told) return;
    this.#told.set(simulcastId, told);
    const message = { eventId: randomUUID(), simulcastId, state: told, at: Date.now() } as const;
    this.#telling = this.#telling.then(() => this.#client.tellTarget(message).catch(() => {}));
  }
}
