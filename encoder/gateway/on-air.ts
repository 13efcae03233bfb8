/** One broadcast that has been let in: fed to an encoder, told to the Worker each second, ended when either side wants it. */
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
import { Delivery } from "./delivery.ts";
import type { HangUp } from "./incoming.ts";
import { RunProgress } from "./run-progress.ts";
import { RestartLimit } from "./restart-limit.ts";
import { SessionClient } from "./session-client.ts";
import { Simulcast } from "./simulcast.ts";
import type { SourceLine } from "./source-line.ts";

type Accepted = Extract<AuthorizeAnswer, { accepted: true }>;

const HEARTBEAT_MS = 1000;
/** Bytes that came this long ago still are a sign of life. */
const FRESH_MS = 1500;
/** Who connects and sends nothing is let go; who pauses has longer, and its place may be taken meanwhile. */
const FIRST_BYTES_MS = 10_000;
const SILENCE_MS = 60_000;
const FAREWELL_MS = 10_000;
/** Behind these the broadcaster does not come back to this session. */
const FINAL_REASONS: ReadonlySet<string> = new Set(END_REASONS.filter((reason) => reason !== "replaced"));
/** Before the system is asked for a process again. */
const NOT_STARTED_PAUSE_MS = 2000;

export class OnAir {
  readonly #line: SourceLine;
  readonly #session: Accepted;
  readonly #hangUp: HangUp;
  /** @throws {ProcessNotStarted} */
  readonly #newChild: () => ChildProcess;
  readonly #client: SessionClient;
  readonly #stop = new AbortController();
  readonly #final = new AbortController();
  readonly #ids: { streamId: string; sessionId: string };
  readonly #beganAtMs = performance.now();
  #delivery: Delivery;
  #progress = new RunProgress();
  #wasTold = false; // the Worker knows already that it is over
  #isLeaving = false; // the encoder works off what has come
  #isBeating = false;
  #isAsking = false;

  constructor(line: SourceLine, session: Accepted, hangUp: HangUp, newChild: () => ChildProcess) {
    this.#line = line;
    this.#session = session;
    this.#hangUp = hangUp;
    this.#newChild = newChild;
    this.#ids = { streamId: session.streamId, sessionId: session.sessionId };
    this.#client = new SessionClient(session, (answer) => void this.#learnWhy(answer));
    this.#delivery = new Delivery(this.#client, this.#ids);
  }

  /** Resolves when all is over and told; never rejects. */
  async run(): Promise<void> {
    const beat = setInterval(() => void this.#beat(), HEARTBEAT_MS);
    const simulcast = new Simulcast(this.#line, this.#client, this.#ids);
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
    this.#line.close();
    this.#hangUp(reason);
    simulcast.close();
    log("broadcast.over", { ...this.#ids, reason });
    if (this.#wasTold) return await simulcasting;
    const giveUp = setTimeout(() => this.#client.close(), FAREWELL_MS);
    await this.#client.ended(reason).catch(() => {}); // the Worker notices by itself that nothing comes any more
    await simulcasting;
    clearTimeout(giveUp);
  }

  /** The Worker asks for it, the gateway closes, the listener has lost it. */
  end(reason: string): void {
    this.#isLeaving = true;
    log("broadcast.ending", { ...this.#ids, reason });
    if (FINAL_REASONS.has(reason)) this.#final.abort();
    this.#line.close(); // the encoder makes whole what it has
    this.#hangUp(reason);
  }

  /** Encoders one after another, until the source has ended. @returns why it is over */
  async #encode(): Promise<string> {
    const { settings } = this.#session;
    const limit = new RestartLimit();
    let start = settings.reconnect ? null : SESSION_START;
    let continues: Continuation | null = null;
    let afterSeconds: number | undefined;
    let isBegunAgain = false; // once: media that kills encoders has to be passed over
    for (;;) {
      const firstByteAtMs = await this.#line.nextArrival();
      if (firstByteAtMs === null) return this.#line.lastByteAtMs === null ? "silent" : "broadcaster_left";
      const child = this.#startChild();
      if (child === null) {
        if (!limit.allows(performance.now())) return "encoder_failed";
        await sleep(NOT_STARTED_PAUSE_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
        continue; // nothing has been read: the next one starts at the same place
      }
      if (continues === null) this.#delivery = new Delivery(this.#client, this.#ids);
      const plan = { settings, start, firstByteAtMs, isFirstShort: start !== null, afterSeconds };
      const outcome = await runBroadcast(
        child,
        this.#line.read(),
        continues === null ? plan : { ...plan, continues },
        this.#following(this.#delivery),
        this.#stop.signal,
        BROADCAST_LIMITS,
        this.#final.signal,
      );
      log("encoder.ended", { ...this.#ids, ...wordsOf(outcome) });
      if (this.#stop.signal.aborted) return "over";
      if (outcome.type === "failure" && outcome.code.startsWith("source_") && outcome.code !== "source_exceeds_limits")
        return outcome.code;
      continues = outcome.type === "crashed" && limit.isAllowed(performance.now()) ? this.#continuation() : null;
      const isUnable = outcome.type === "cannot-continue";
      const isUnused: boolean = outcome.type === "crashed" && this.#progress.isUnused && !isBegunAgain;
      // What this encoder was given, and the one before it if this one could not go on, is the next one's.
      if ((isUnable || isUnused) && !this.#line.rewind(null)) logWarning("source.not_kept", this.#ids);
      if (this.#line.isSpent) return outcome.type === "ended" ? "broadcaster_left" : "encoder_failed";
      if (!limit.allows(performance.now())) return "encoder_failed";
      if (continues !== null) continue;
      isBegunAgain = isUnused;
      if (!isUnused) {
        afterSeconds = isUnable ? (this.#progress.outSeconds ?? undefined) : undefined;
        start = null;
      }
      this.#progress = new RunProgress();
    }
  }

  /** What the next encoder needs to go on with the run; null when it has to begin another one. */
  #continuation(): Continuation | null {
    const neededFrom = this.#progress.neededFrom();
    const continues = this.#progress.continuation();
    if (continues === null || !this.#line.rewind(neededFrom)) return null;
    this.#progress.countAnew();
    log("encoder.continued", { ...this.#ids, fromByte: neededFrom ?? 0 });
    return continues;
  }

  /** The delivery as the encoder sees it, with what it tells for its successor. */
  #following(delivery: Delivery): BroadcastReceiver {
    const progress = this.#progress;
    const release = () => this.#line.release(progress.neededFrom());
    return {
      onStarted: (facts) => delivery.onStarted(facts),
      onOpening: (opening) => delivery.onOpening(opening),
      onInit: (...init) => delivery.onInit(...init),
      onPart: (...part) => delivery.onPart(...part),
      onGap: (...gap) => delivery.onGap(...gap),
      onRejected: (...rejected) => delivery.onRejected(...rejected),
      onThumbnail: (...thumbnail) => delivery.onThumbnail(...thumbnail),
      onThumbnailFailed: (reason) => delivery.onThumbnailFailed(reason),
      onPulse: (pulse) => delivery.onPulse(pulse),
      onRungDropped: (dropped) => {
        progress.onRungDropped(dropped.rendition);
        delivery.onRungDropped(dropped);
      },
      onRun: (state) => progress.onRun(state),
      onKey: (place) => {
        progress.onKey(place);
        release();
      },
      onPartMade: (facts) => progress.onPart(facts),
    };
  }

  /** Null when the system has no room for another process at this moment. */
  #startChild(): ChildProcess | null {
    try {
      return this.#newChild();
    } catch (error) {
      if (!(error instanceof ProcessNotStarted)) throw error;
      logWarning("encoder.not_started", { ...this.#ids, reason: error.message });
      return null;
    }
  }

  async #beat(): Promise<void> {
    const nowMs = performance.now();
    const { lastByteAtMs } = this.#line;
    const silentMs = nowMs - (lastByteAtMs ?? this.#beganAtMs);
    if (silentMs > (lastByteAtMs === null ? FIRST_BYTES_MS : SILENCE_MS)) this.end("silent");
    if (this.#isBeating) return;
    const silent = lastByteAtMs === null || silentMs > FRESH_MS;
    this.#isBeating = true;
    const { segments, droppedRungs, speed } = this.#delivery;
    try {
      const answer = await this.#client.heartbeat({ segments, droppedRungs, speed, silent, at: Date.now() });
      if (answer?.continue === false) this.#endedByWorker(answer.reason ?? "over");
      else if (answer?.reason != null && !this.#isLeaving) this.end(answer.reason);
    } catch {
      // `#endedByWorker` has been told, or the next one says it.
    } finally {
      this.#isBeating = false;
    }
  }

  /** The Worker takes nothing of this session any more: one more question tells why. */
  async #learnWhy(answer: string): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { segments, droppedRungs, speed } = this.#delivery;
    const heartbeat = { segments, droppedRungs, speed, silent: true, at: Date.now() };
    const why = await this.#client.heartbeat(heartbeat).catch(() => null);
    this.#endedByWorker(why === null || why.continue ? answer : (why.reason ?? "over"));
  }

  #endedByWorker(reason: string): void {
    if (this.#wasTold) return;
    this.#wasTold = true;
    log("broadcast.ended_by_worker", { ...this.#ids, reason });
    this.#client.close();
    this.#stop.abort();
    this.#line.close();
    this.#hangUp(reason);
  }
}

function wordsOf(outcome: BroadcastOutcome): Record<string, string | number> {
  switch (outcome.type) {
    case "ended":
      return { outcome: "ended", nextMsn: outcome.end.nextMsn };
    case "failure":
      return { outcome: outcome.code, reason: outcome.message };
    case "crashed":
      return { outcome: "crashed", reason: outcome.how.slice(0, 500) };
    case "cannot-continue":
      return { outcome: "unable to go on", reason: outcome.reason };
    case "stopped":
      return { outcome: "stopped" };
  }
}
