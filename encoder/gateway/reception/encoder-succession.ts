/** Runs the encoders of one broadcast in succession until its source has ended. A new one replaces each that crashes. */
import type { ChildProcess } from "node:child_process";
import { type AuthorizeAnswer, mergedSounds } from "../../../protocol/live.ts";
import { log, logWarning } from "../../../protocol/log.ts";
import { BROADCAST_LIMITS, type BroadcastOutcome, runBroadcast } from "../../live/broadcast-process.ts";
import { type Continuation, SESSION_START } from "../../live/run-state.ts";
import { ProcessNotStarted } from "../../platform/media-process.ts";
import { pause } from "../../platform/pause.ts";
import type { SourceBuffer } from "../source/source-buffer.ts";
import type { SessionClient } from "../worker/session-client.ts";
import { type HangUpReason, sourceReason } from "./hang-up-reasons.ts";
import { outcomeFields } from "./outcome-fields.ts";
import { recordingProgress } from "./recording-receiver.ts";
import { RestartLimit } from "./restart-limit.ts";
import { RunProgress } from "./run-progress.ts";
import { SessionUpload } from "./session-upload.ts";

/** Pause after a failed process start. */
const NOT_STARTED_PAUSE_MS = 2000;

export interface EncoderSignals {
  /** Kills the encoder. */
  stop: AbortSignal;
  /** Aborted before the end of the source when the broadcaster cannot resume the session. */
  final: AbortSignal;
}

export class EncoderSuccession {
  readonly #source: SourceBuffer;
  readonly #settings: Extract<AuthorizeAnswer, { accepted: true }>["settings"];
  readonly #client: SessionClient;
  readonly #ids: { streamId: string; sessionId: string };
  /** @throws {ProcessNotStarted} */
  readonly #newChild: () => ChildProcess;
  readonly #signals: EncoderSignals;
  #upload: SessionUpload;
  #progress = new RunProgress();

  constructor(
    source: SourceBuffer,
    session: Extract<AuthorizeAnswer, { accepted: true }>,
    client: SessionClient,
    newChild: () => ChildProcess,
    signals: EncoderSignals,
  ) {
    this.#source = source;
    this.#settings = session.settings;
    this.#client = client;
    this.#ids = { streamId: session.streamId, sessionId: session.sessionId };
    this.#newChild = newChild;
    this.#signals = signals;
    this.#upload = new SessionUpload(client, this.#ids);
  }

  /** The newest upload. */
  get upload(): SessionUpload {
    return this.#upload;
  }

  /** @returns the end reason */
  async run(): Promise<HangUpReason> {
    const { stop } = this.#signals;
    const limit = new RestartLimit();
    let start = this.#settings.reconnect ? null : SESSION_START;
    let continues: Continuation | null = null;
    let afterSeconds: number | undefined;
    let sounds = this.#settings.sounds ?? [];
    // Whether the last encoder got its predecessor's input again. Done once, because media that crashes every encoder must be skipped.
    let isRestarted = false;
    for (;;) {
      const firstByteAtMs = await this.#source.nextArrival();
      if (firstByteAtMs === null) return this.#source.lastByteAtMs === null ? "silent" : "broadcaster_left";
      const child = this.#startChild();
      if (child === null) {
        if (!limit.record(performance.now())) return "encoder_failed";
        await pause(NOT_STARTED_PAUSE_MS, stop);
        continue; // nothing has been read: the next encoder starts at the same position
      }
      if (continues === null) {
        sounds = mergedSounds(this.#upload.sounds ?? [], sounds);
        this.#upload = new SessionUpload(this.#client, this.#ids);
      }
      const settings = { ...this.#settings, sounds };
      const plan = { settings, start, firstByteAtMs, isFirstShort: start !== null, afterSeconds };
      const outcome = await this.#encode(child, continues === null ? plan : { ...plan, continues });
      if (stop.aborted) return "over";
      if (isSourceFailure(outcome)) return sourceReason(outcome.code);
      continues = outcome.type === "crashed" && limit.isAllowed(performance.now()) ? this.#continuation() : null;
      const cannotContinue = outcome.type === "cannot-continue";
      const isUnused: boolean = outcome.type === "crashed" && this.#progress.isUnused && !isRestarted;
      // The next encoder gets all the input of this one, including the input that this one got again.
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

  async #encode(child: ChildProcess, plan: Parameters<typeof runBroadcast>[2]): Promise<BroadcastOutcome> {
    const { stop, final } = this.#signals;
    const receiver = recordingProgress(this.#upload, this.#progress, this.#source);
    const outcome = await runBroadcast(child, this.#source.read(), plan, receiver, stop, BROADCAST_LIMITS, final);
    const write = outcome.type === "crashed" || outcome.type === "failure" ? logWarning : log;
    write("encoder.ended", { ...this.#ids, ...outcomeFields(outcome) });
    return outcome;
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
}

/** Whether the source is at fault. Another encoder would fail in the same way. */
const isSourceFailure = (outcome: BroadcastOutcome): outcome is Extract<BroadcastOutcome, { type: "failure" }> =>
  outcome.type === "failure" && outcome.code.startsWith("source_") && outcome.code !== "source_exceeds_limits";
