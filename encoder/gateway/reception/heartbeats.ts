/** Sends a heartbeat to the Worker every second, reads its answers, and detects a broadcaster that sends nothing. */
import { log, logWarning } from "../../../protocol/log.ts";
import { FailureRow } from "../../platform/failure-row.ts";
import type { SourceBuffer } from "../source/source-buffer.ts";
import type { HangUpReason } from "./hang-up-reasons.ts";
import { type SessionClient, SessionOver } from "../worker/session-client.ts";
import type { SessionUpload } from "./session-upload.ts";
import { silenceOf } from "./silence.ts";

const HEARTBEAT_MS = 1000;

export interface HeartbeatListener {
  /** The broadcaster has sent nothing for too long. Called every second. */
  onSilent(): void;
  /** The Worker asks to end the broadcast. May be called repeatedly. */
  onEndWanted(reason: HangUpReason): void;
  /** The session is over at the Worker. */
  onOver(reason: HangUpReason): void;
}

/** Encoding progress that heartbeats report. */
type Progress = Pick<SessionUpload, "segments" | "droppedRungs" | "speed" | "warnings">;

export class Heartbeats {
  readonly #source: Pick<SourceBuffer, "lastByteAtMs" | "hasEnded">;
  readonly #client: SessionClient;
  readonly #ids: { streamId: string; sessionId: string };
  readonly #progress: () => Progress;
  readonly #listener: HeartbeatListener;
  readonly #beganAtMs = performance.now();
  readonly #failures = new FailureRow("broadcast.heartbeat_failed");
  #timer: NodeJS.Timeout | undefined;
  #isSending = false;
  #isOver = false;
  #isFetchingReason = false;

  constructor(
    source: Pick<SourceBuffer, "lastByteAtMs" | "hasEnded">,
    client: SessionClient,
    ids: { streamId: string; sessionId: string },
    progress: () => Progress,
    listener: HeartbeatListener,
  ) {
    this.#source = source;
    this.#client = client;
    this.#ids = ids;
    this.#progress = progress;
    this.#listener = listener;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#send(), HEARTBEAT_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Sends one between two others: the broadcaster's connection is over, so another one may take over. */
  sendNow(): void {
    if (this.#timer !== undefined) void this.#send();
  }

  /** Asks with a last heartbeat for the reason why the Worker rejects requests of this session. @param status of the rejection */
  async fetchEndReason(status: number): Promise<void> {
    if (this.#isFetchingReason) return;
    this.#isFetchingReason = true;
    log("broadcast.rejected", { ...this.#ids, status });
    const last = await this.#client.heartbeat(this.#heartbeat(true)).catch((error: unknown) => {
      if (!(error instanceof SessionOver))
        logWarning("broadcast.end_reason_unknown", { ...this.#ids, reason: String(error) });
      return null;
    });
    this.#over((last?.continue === false ? last.reason : null) ?? "over");
  }

  async #send(): Promise<void> {
    const { isTooLong, isSilent } = silenceOf(performance.now(), this.#source.lastByteAtMs, this.#beganAtMs);
    if (isTooLong) this.#listener.onSilent();
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      const answer = await this.#client.heartbeat(this.#heartbeat(isSilent));
      if (answer?.continue === false) this.#over(answer.reason ?? "over");
      else if (answer?.reason != null) this.#listener.onEndWanted(answer.reason);
      this.#failures.succeeded();
    } catch (error) {
      // The session is over, or the next heartbeat gets the same answer.
      if (!this.#isOver) this.#failures.failed({ ...this.#ids, reason: String(error) });
    } finally {
      this.#isSending = false;
    }
  }

  #heartbeat(silent: boolean) {
    const { segments, droppedRungs, speed, warnings } = this.#progress();
    return { segments, droppedRungs, speed, warnings, silent, hasDisconnected: this.#source.hasEnded, at: Date.now() };
  }

  #over(reason: HangUpReason): void {
    this.#isOver = true;
    this.#listener.onOver(reason);
  }
}
