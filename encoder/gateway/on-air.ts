/** One broadcast that has been let in: fed to an encoder, told to the Worker each second, ended when either side wants it. */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { AuthorizeAnswer } from "../live/protocol.ts";
import { type BroadcastOutcome, runBroadcast } from "../live/broadcast-process.ts";
import type { BroadcastPlan } from "../live/output.ts";
import { log } from "../log.ts";
import { ProcessNotStarted } from "../media-process.ts";
import { Delivery } from "./delivery.ts";
import type { HangUp } from "./incoming.ts";
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
  readonly #ids: { streamId: string; sessionId: string };
  readonly #beganAtMs = performance.now();
  #delivery: Delivery;
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
      log("error", "broadcast failed", {
        ...this.#ids,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
    clearInterval(beat);
    this.#line.close();
    this.#hangUp(reason);
    simulcast.close();
    log("info", "broadcast over", { ...this.#ids, reason });
    if (this.#wasTold) return await simulcasting;
    const giveUp = setTimeout(() => this.#client.close(), FAREWELL_MS);
    await this.#client.ended(reason).catch(() => {}); // the Worker notices by itself that nothing comes any more
    await simulcasting;
    clearTimeout(giveUp);
  }

  /** The Worker asks for it, the gateway closes, the listener has lost it. */
  end(reason: string): void {
    this.#isLeaving = true;
    log("info", "broadcast is ended", { ...this.#ids, reason });
    this.#line.close(); // the encoder makes whole what it has
    this.#hangUp(reason);
  }

  /** Encoders one after another, until the source has ended. @returns why it is over */
  async #encode(): Promise<string> {
    const { settings, resume } = this.#session;
    const limit = new RestartLimit();
    let start = startOf(resume);
    for (;;) {
      const firstByteAtMs = await this.#line.nextArrival();
      if (firstByteAtMs === null) return this.#line.lastByteAtMs === null ? "silent" : "broadcaster_left";
      const child = this.#startChild();
      if (child === null) {
        if (!limit.allows(performance.now())) return "encoder_failed";
        await sleep(NOT_STARTED_PAUSE_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
        continue; // nothing has been read: the next one starts at the same place
      }
      this.#delivery = new Delivery(this.#client, this.#ids);
      const outcome = await runBroadcast(
        child,
        this.#line.read(),
        { settings, start, firstByteAtMs },
        this.#delivery,
        this.#stop.signal,
      );
      log("info", "encoder ended", { ...this.#ids, ...wordsOf(outcome) });
      if (this.#stop.signal.aborted) return "over";
      if (outcome.type === "failure" && outcome.code.startsWith("source_") && outcome.code !== "source_exceeds_limits")
        return outcome.code;
      if (this.#line.isSpent) return outcome.type === "ended" ? "broadcaster_left" : "encoder_failed";
      if (!limit.allows(performance.now())) return "encoder_failed";
      start = startOf(await this.#client.resume());
    }
  }

  /** Null when the system has no room for another process at this moment. */
  #startChild(): ChildProcess | null {
    try {
      return this.#newChild();
    } catch (error) {
      if (!(error instanceof ProcessNotStarted)) throw error;
      log("warn", "encoder not started", { ...this.#ids, reason: error.message });
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
    log("info", "the Worker ends the broadcast", { ...this.#ids, reason });
    this.#client.close();
    this.#stop.abort();
    this.#line.close();
    this.#hangUp(reason);
  }
}

const startOf = (resume: Accepted["resume"]): BroadcastPlan["start"] => ({
  msn: resume?.nextMsn ?? 0,
  isDiscontinuous: resume !== null && resume.nextMsn > 0,
  initVersion: resume?.initVersion ?? 0,
  seconds: resume?.seconds ?? 0,
});

function wordsOf(outcome: BroadcastOutcome): Record<string, string | number> {
  switch (outcome.type) {
    case "ended":
      return { outcome: "ended", nextMsn: outcome.end.nextMsn };
    case "failure":
      return { outcome: outcome.code, reason: outcome.message };
    case "crashed":
      return { outcome: "crashed", reason: outcome.how.slice(0, 500) };
    case "stopped":
      return { outcome: "stopped" };
  }
}
