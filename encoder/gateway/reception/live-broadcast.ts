/** One admitted broadcast, from its first byte to the report of its end. Ends on request of the Worker or the gateway. */
import type { ChildProcess } from "node:child_process";
import { type AuthorizeAnswer, END_REASONS } from "../../../protocol/live.ts";
import { errorFields } from "../../../protocol/error-fields.ts";
import { log, logError, logWarning } from "../../../protocol/log.ts";
import { Simulcast } from "../simulcast/simulcast.ts";
import type { SourceBuffer } from "../source/source-buffer.ts";
import { SessionClient } from "../worker/session-client.ts";
import { EncoderSuccession } from "./encoder-succession.ts";
import { Heartbeats } from "./heartbeats.ts";
import type { HangUpReason } from "./hang-up-reasons.ts";
import type { HangUp } from "./incoming.ts";

const END_REPORT_TIMEOUT_MS = 10_000;
/** After these the broadcaster cannot resume the session. */
const FINAL_REASONS: ReadonlySet<string> = new Set(END_REASONS.filter((reason) => reason !== "replaced"));

export class LiveBroadcast {
  readonly #source: SourceBuffer;
  readonly #hangUp: HangUp;
  readonly #client: SessionClient;
  readonly #encoders: EncoderSuccession;
  readonly #heartbeats: Heartbeats;
  readonly #stop = new AbortController();
  readonly #final = new AbortController();
  readonly #ids: { streamId: string; sessionId: string };
  #isEndedByWorker = false;
  #isEnding = false; // the encoder finishes the received media

  /** @param newChild may throw ProcessNotStarted */
  constructor(
    source: SourceBuffer,
    session: Extract<AuthorizeAnswer, { accepted: true }>,
    hangUp: HangUp,
    newChild: () => ChildProcess,
  ) {
    this.#source = source;
    this.#hangUp = hangUp;
    this.#ids = { streamId: session.streamId, sessionId: session.sessionId };
    this.#client = new SessionClient(session, (status) => void this.#heartbeats.fetchEndReason(status));
    const signals = { stop: this.#stop.signal, final: this.#final.signal };
    this.#encoders = new EncoderSuccession(source, session, this.#client, newChild, signals);
    this.#heartbeats = new Heartbeats(source, this.#client, this.#ids, () => this.#encoders.upload, {
      onSilent: () => this.end("silent"),
      onEndWanted: (reason) => this.#isEnding || this.end(reason),
      onOver: (reason) => this.#endedByWorker(reason),
    });
  }

  /** Resolves when the broadcast has ended and the Worker has been notified; never rejects. */
  async run(): Promise<void> {
    this.#heartbeats.start();
    const simulcast = new Simulcast(this.#source, this.#client, this.#ids);
    const simulcasting = simulcast.run();
    const reason = await this.#encoders.run().catch((error: unknown): HangUpReason => {
      logError("broadcast.failed", { ...this.#ids, ...errorFields(error) });
      return "encoder_failed";
    });
    this.#heartbeats.stop();
    this.#source.close();
    this.#hangUp(reason);
    simulcast.close();
    const write = reason === "encoder_failed" ? logError : log;
    write("broadcast.over", { ...this.#ids, reason });
    if (this.#isEndedByWorker) return await simulcasting;
    const timeout = setTimeout(() => this.#client.close(), END_REPORT_TIMEOUT_MS);
    // Without the report the Worker ends the broadcast for its missing heartbeats.
    await this.#client
      .ended(reason)
      .catch((error: unknown) => logWarning("broadcast.end_not_reported", { ...this.#ids, reason: String(error) }));
    await simulcasting;
    clearTimeout(timeout);
  }

  /** Ends the broadcast: on the Worker's request, when the gateway stops or when the broadcaster is silent. */
  end(reason: HangUpReason): void {
    this.#isEnding = true;
    log("broadcast.ending", { ...this.#ids, reason });
    if (FINAL_REASONS.has(reason)) this.#final.abort();
    this.#source.close(); // the encoder completes its last segment
    this.#hangUp(reason);
  }

  /** The broadcaster has left; the encoder may still have work. */
  onSourceEnded(): void {
    this.#heartbeats.sendNow();
  }

  #endedByWorker(reason: HangUpReason): void {
    if (this.#isEndedByWorker) return;
    this.#isEndedByWorker = true;
    log("broadcast.ended_by_worker", { ...this.#ids, reason });
    this.#client.close();
    this.#stop.abort();
    this.#source.close();
    this.#hangUp(reason);
  }
}
