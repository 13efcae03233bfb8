/** Runs one admitted broadcast: feeds an encoder, sends a heartbeat to the Worker every second, and ends on request of either side. */
import { type Continuation, SESSION_START } from "../live/run-state.ts";
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { type AuthorizeAnswer, END_REASONS } from "../../protocol/live.ts";
import {
  BROADCAST_LIMITS,
  type BroadcastOutcome,
  type BroadcastReceiver,
  runBroadcast,
} from "../live/broadcast-process.ts";
import { log, logError, logWarning } from "../../protocol/log.ts";
import { ProcessNotStarted } from "../media-process.ts";
import { SessionUpload } from "./session-upload.ts";
import type { HangUp } from "./incoming.ts";
import { RunProgress } from "./run-progress.ts";
import { RestartLimit } from "./restart-limit.ts";
import { SessionClient } from "./session-client.ts";
import { Simulcast } from "./simulcast.ts";
import type { SourceBuffer } from "./source-buffer.ts";

type Accepted = Extract<AuthorizeAnswer, { accepted: true }>;

const HEARTBEAT_MS = 1000;
/** The broadcaster counts as sending when bytes arrived within this time. */
const FRESH_MS = 1500;
/** A broadcaster that sends nothing is disconnected: after FIRST_BYTES_MS at the start, after SILENCE_MS later on. */
const FIRST_BYTES_MS = 10_000;
const SILENCE_MS = 60_000;
const END_REPORT_TIMEOUT_MS = 10_000;
/** After these the broadcaster cannot resume the session. */
const FINAL_REASONS: ReadonlySet<string> = new Set(END_REASONS.filter((reason) => reason !== "replaced"));
/** Pause after a failed process start. */
const NOT_STARTED_PAUSE_MS = 2000;

export class LiveBroadcast {
  readonly #source: SourceBuffer;
  readonly #session: Accepted;
  readonly #hangUp: HangUp;
  /** @throws {ProcessNotStarted} */
  readonly #newChild: () => ChildProcess;
  readonly #client: SessionClient;
  readonly #stop = new AbortController();
  readonly #final = new AbortController();
  readonly #ids: { streamId: string; sessionId: string };
  readonly #beganAtMs = performance.now();
  #upload: SessionUpload;
  #progress = new RunProgress();
  #isEndedByWorker = false;
  #isEnding = false; // the encoder finishes the received media
  #isSendingHeartbeat = false;
  /** The last one: a row of failures is logged once. */
  #heartbeatHasFailed = false;
  #isFetchingReason = false;

  constructor(source: SourceBuffer, session: Accepted, hangUp: HangUp, newChild: () => ChildProcess) {
    this.#source = source;
    this.#session = session;
    this.#hangUp = hangUp;
    this.#newChild = newChild;
    this.#ids = { streamId: session.streamId, sessionId: session.sessionId };
    this.#client = new SessionClient(session, (answer) => void this.#fetchEndReason(answer));
    this.#upload = new SessionUpload(this.#client, this.#ids);
  }

  /** Resolves when the broadcast has ended and the Worker has been notified; never rejects. */
  async run(): Promise<void> {
    const beat = setInterval(() => void this.#sendHeartbeat(), HEARTBEAT_MS);
    const simulcast = new Simulcast(this.#source, this.#client, this.#ids);
    const simulcasting = simulcast.run();
    let reason = "encoder_failed";
    try {
      reason = await this.#encode();
    } catch (error) {
      logError("broadcast.failed", {
        ...this.#ids,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
    clearInterval(beat);
    this.#source.close();
    this.#hangUp(reason);
    simulcast.close();
    log("broadcast.over", { ...this.#ids, reason });
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
  end(reason: string): void {
    this.#isEnding = true;
    log("broadcast.ending", { ...this.#ids, reason });
    if (FINAL_REASONS.has(reason)) this.#final.abort();
    this.#source.close(); // the encoder completes its last segment
    this.#hangUp(reason);
  }

  /** Runs encoders in succession until the source has ended. @returns the end reason */
  async #encode(): Promise<string> {
    const { settings } = this.#session;
    const limit = new RestartLimit();
    let start = settings.reconnect ? null : SESSION_START;
    let continues: Continuation | null = null;
    let afterSeconds: number | undefined;
    let isRestarted = false; // whether the last encoder got its predecessor's input again; done once, because media that crashes every encoder must be skipped
    for (;;) {
      const firstByteAtMs = await this.#source.nextArrival();
      if (firstByteAtMs === null) return this.#source.lastByteAtMs === null ? "silent" : "broadcaster_left";
      const child = this.#startChild();
      if (child === null) {
        if (!limit.record(performance.now())) return "encoder_failed";
        await sleep(NOT_STARTED_PAUSE_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
        continue; // nothing has been read: the next encoder starts at the same position
      }
      if (continues === null) this.#upload = new SessionUpload(this.#client, this.#ids);
      const plan = { settings, start, firstByteAtMs, isFirstShort: start !== null, afterSeconds };
      const outcome = await runBroadcast(
        child,
        this.#source.read(),
        continues === null ? plan : { ...plan, continues },
        this.#recordingProgress(this.#upload),
        this.#stop.signal,
        BROADCAST_LIMITS,
        this.#final.signal,
      );
      log("encoder.ended", { ...this.#ids, ...describe(outcome) });
      if (this.#stop.signal.aborted) return "over";
      if (outcome.type === "failure" && outcome.code.startsWith("source_") && outcome.code !== "source_exceeds_limits")
        return outcome.code;
      continues = outcome.type === "crashed" && limit.isAllowed(performance.now()) ? this.#continuation() : null;
      const cannotContinue = outcome.type === "cannot-continue";
      const isUnused: boolean = outcome.type === "crashed" && this.#progress.isUnused && !isRestarted;
      // The next encoder gets all the input that this one got. That includes input which this one got again from its predecessor.
      if ((cannotContinue || isUnused) && !this.#source.rewind(null)) logWarning("source.not_kept", this.#ids);
      if (this.#source.isSpent) return outcome.type === "ended" ? "broadcaster_left" : "encoder_failed";
      if (!limit.record(performance.now())) return "encoder_failed";
      if (continues !== null) continue;
      isRestarted = isUnused;
      if (!isUnused) {
        afterSeconds = cannotContinue ? (this.#progress.publishedSeconds ?? undefined) : undefined;
        start = null;
      }
      this.#progress = new RunProgress();
    }
  }

  /** State from which the next encoder continues the run; null when it must start a new run. */
  #continuation(): Continuation | null {
    const neededFrom = this.#progress.neededFrom();
    const continues = this.#progress.continuation();
    if (continues === null || !this.#source.rewind(neededFrom)) return null;
    this.#progress.resetPositions();
    log("encoder.continued", { ...this.#ids, fromByte: neededFrom ?? 0 });
    return continues;
  }

  /** Wraps the upload to record the progress that a successor needs. */
  #recordingProgress(upload: SessionUpload): BroadcastReceiver {
    const progress = this.#progress;
    const release = () => this.#source.release(progress.neededFrom());
    return {
      onStarted: (facts) => upload.onStarted(facts),
      onOpening: (opening) => upload.onOpening(opening),
      onInit: (...init) => upload.onInit(...init),
      onPart: (...part) => upload.onPart(...part),
      onGap: (...gap) => upload.onGap(...gap),
      onRejected: (...rejected) => upload.onRejected(...rejected),
      onThumbnail: (...thumbnail) => upload.onThumbnail(...thumbnail),
      onThumbnailFailed: (reason) => upload.onThumbnailFailed(reason),
      onPulse: (pulse) => upload.onPulse(pulse),
      onRungDropped: (dropped) => {
        progress.onRungDropped(dropped.rendition);
        upload.onRungDropped(dropped);
      },
      onRun: (state) => progress.onRun(state),
      onKey: (place) => {
        progress.onKey(place);
        release();
      },
      onPartMade: (facts) => progress.onPart(facts),
    };
  }

  /** Null when the system cannot start another process at the moment. */
  #startChild(): ChildProcess | null {
    try {
      return this.#newChild();
    } catch (error) {
      if (!(error instanceof ProcessNotStarted)) throw error;
      logWarning("encoder.not_started", { ...this.#ids, reason: error.message });
      return null;
    }
  }

  async #sendHeartbeat(): Promise<void> {
    const nowMs = performance.now();
    const { lastByteAtMs } = this.#source;
    const silentMs = nowMs - (lastByteAtMs ?? this.#beganAtMs);
    if (silentMs > (lastByteAtMs === null ? FIRST_BYTES_MS : SILENCE_MS)) this.end("silent");
    if (this.#isSendingHeartbeat) return;
    const silent = lastByteAtMs === null || silentMs > FRESH_MS;
    this.#isSendingHeartbeat = true;
    const { segments, droppedRungs, speed } = this.#upload;
    try {
      const answer = await this.#client.heartbeat({ segments, droppedRungs, speed, silent, at: Date.now() });
      if (answer?.continue === false) this.#endedByWorker(answer.reason ?? "over");
      else if (answer?.reason != null && !this.#isEnding) this.end(answer.reason);
      this.#heartbeatHasFailed = false;
    } catch (error) {
      // Either `#endedByWorker` has been called, or the next heartbeat reports it.
      if (!this.#isEndedByWorker && !this.#heartbeatHasFailed)
        logWarning("broadcast.heartbeat_failed", { ...this.#ids, reason: String(error) });
      this.#heartbeatHasFailed = true;
    } finally {
      this.#isSendingHeartbeat = false;
    }
  }

  /** The Worker rejects requests of this session; a last heartbeat returns the reason. */
  async #fetchEndReason(answer: string): Promise<void> {
    if (this.#isFetchingReason) return;
    this.#isFetchingReason = true;
    const { segments, droppedRungs, speed } = this.#upload;
    const heartbeat = { segments, droppedRungs, speed, silent: true, at: Date.now() };
    const why = await this.#client.heartbeat(heartbeat).catch(() => null);
    this.#endedByWorker(why === null || why.continue ? answer : (why.reason ?? "over"));
  }

  #endedByWorker(reason: string): void {
    if (this.#isEndedByWorker) return;
    this.#isEndedByWorker = true;
    log("broadcast.ended_by_worker", { ...this.#ids, reason });
    this.#client.close();
    this.#stop.abort();
    this.#source.close();
    this.#hangUp(reason);
  }
}

function describe(outcome: BroadcastOutcome): Record<string, string | number> {
  switch (outcome.type) {
    case "ended":
      return { outcome: "ended", nextMsn: outcome.end.nextMsn };
    case "failure":
      return { outcome: outcome.code, reason: outcome.message };
    case "crashed":
      return { outcome: "crashed", reason: outcome.how.slice(0, 500) };
    case "cannot-continue":
      return { outcome: "cannot continue", reason: outcome.reason };
    case "stopped":
      return { outcome: "stopped" };
  }
}
