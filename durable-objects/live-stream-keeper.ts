import { SILENT_AFTER_MS } from "../protocol/live.ts";
import type { Env } from "../src/platform/env.ts";
import { log } from "../src/platform/log.ts";
import { originOf } from "../src/live/origin/origin-calls.ts";
import { isOnAir, STREAM_MOVES, type StreamSignal, type StreamStatus } from "../src/live/streams/moves.ts";
import { projectStream, type StreamMessage } from "../src/live/sessions/projection.ts";
import { isAudioOnly, type Session, type SessionEnd, toSessionFacts, waitMs } from "../src/live/sessions/session.ts";
import type { Moves, OutboxMessage } from "../src/platform/machines.ts";
import { Machine } from "./machine.ts";

/** A heartbeat, what the encoder still holds, and its way to the origin. */
const FAREWELL_MS = 2000;
/** Whose heartbeat is as old will hardly send one in time. */
const NEAR_MS = 1500;

/** A broadcaster that is asked to go. */
interface Farewell {
  why: "finished" | "max_duration";
  over: () => void;
  done: Promise<void>;
}

export type StreamTimer = "silence" | "window" | "maxDuration" | "outbox";

/** What a stream's machine knows of its broadcast and tells of it, and how a broadcast ends. */
export abstract class LiveStreamKeeper extends Machine<StreamStatus, StreamSignal, StreamTimer> {
  /** Not stored: after a restart every broadcaster has as long as at the beginning to be heard of. */
  declare heardAtMs: number;
  declare draining: Promise<void>;
  /** Not stored: a stream that is interrupted in it goes on, and its owner hears that nothing was done. */
  declare farewell: Farewell | null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.heardAtMs = Date.now();
    this.draining = Promise.resolve();
    this.farewell = null;
  }

  protected kind(): string {
    return "live_stream";
  }

  protected moves(): Moves<StreamStatus, StreamSignal> {
    return STREAM_MOVES;
  }

  protected initial(): StreamStatus {
    return "idle";
  }

  protected async run(timer: StreamTimer): Promise<void> {
    const nowMs = Date.now();
    if (timer === "silence") this.onSilence(nowMs);
    else if (timer === "window") this.onWindow(nowMs);
    else if (timer === "maxDuration") {
      await this.sayFarewell("max_duration");
      this.leaveAir("finish", "max_duration");
    }
    await this.drainSoon();
  }

  /**
   * Before a broadcast is ended: its gateway is told with the next heartbeat, makes whole what it has, and says that it has left. Without it
   * the last pictures, which are in the encoder still, would be lost. Whoever does not answer in time is not waited for.
   */
  protected async sayFarewell(why: Farewell["why"]): Promise<void> {
    if (this.status !== "active" || Date.now() - this.heardAtMs > NEAR_MS) return;
    if (this.farewell === null) {
      let over = () => {};
      const done = new Promise<void>((resolve) => (over = resolve));
      this.farewell = { why, over, done };
      setTimeout(over, FAREWELL_MS);
    }
    await this.farewell.done;
    this.farewell = null;
  }

  private onSilence(nowMs: number): void {
    if (!isOnAir(this.status)) return;
    const silentFromMs = this.heardAtMs + SILENT_AFTER_MS;
    if (nowMs < silentFromMs) this.schedule("silence", silentFromMs);
    else this.drop();
  }

  private onWindow(nowMs: number): void {
    const endsAtMs = this.session()?.windowEndsAtMs ?? 0;
    if (this.status !== "disconnected") return;
    if (nowMs < endsAtMs) this.schedule("window", endsAtMs);
    else this.leaveAir("windowOver", "window_over");
  }

  /** The broadcaster is gone: the reconnect window begins. */
  protected drop(): void {
    const session = this.session();
    if (session === null) throw new Error("on air without a session");
    const windowEndsAtMs = Date.now() + waitMs(this.bindings(), session.reconnectWindowS);
    this.step("drop", () => this.saveSession({ ...session, windowEndsAtMs }));
    this.unschedule("silence");
    this.schedule("window", windowEndsAtMs);
  }

  /** While its broadcaster is away, viewers see the last picture. If this is lost, the absence is filled when it comes back. */
  protected holdPicture(): void {
    const session = this.session();
    if (session === null || session.windowEndsAtMs === null) return;
    const { id: sessionId, streamId, connection, windowEndsAtMs } = session;
    const held = originOf(this.bindings(), sessionId).hold(windowEndsAtMs, connection);
    this.state.waitUntil(
      held.catch((error: unknown) => log("live.not_held", { streamId, sessionId, error: String(error) })),
    );
  }

  /** Ends the broadcast, if there is one, by a move out of the air. False when the state does not know the move. */
  protected leaveAir(signal: StreamSignal, why: SessionEnd): boolean {
    if (isOnAir(this.status)) this.drop();
    const session = this.session();
    const left = this.step(signal, () => {
      if (session === null) return;
      const ended = toSessionFacts(session, { atMs: Date.now(), why });
      this.tell("sessionEnded", { session: ended, eventId: crypto.randomUUID() });
      this.setDocument("last", { sessionId: session.id, why });
      this.state.storage.kv.delete("session");
    });
    if (left) for (const timer of ["silence", "window", "maxDuration"] as const) this.unschedule(timer);
    return left;
  }

  /** A move and what is to be told of it, in one commit. */
  protected step(signal: StreamSignal, also: () => void = () => {}): boolean {
    const moves: Moves<StreamStatus, StreamSignal> = STREAM_MOVES;
    const next = moves[this.status][signal]?.[0];
    const moved = this.move(signal, (event) => {
      also();
      if (next === undefined) return;
      const told = event === null ? null : { id: crypto.randomUUID(), type: event as never };
      this.tell("moved", { status: next, audioOnly: this.isAudioOnly(), atMs: Date.now(), event: told });
    });
    return moved;
  }

  protected tell<Kind extends StreamMessage["kind"]>(
    kind: Kind,
    payload: Extract<StreamMessage, { kind: Kind }>["payload"],
  ): void {
    this.enqueue(kind, payload);
    this.hasten("outbox", Date.now());
  }

  protected listen(nowMs: number): void {
    this.heardAtMs = nowMs;
    const known = this.sql.exec("SELECT 1 FROM timers WHERE name = 'silence'").toArray().length > 0;
    if (!known) this.schedule("silence", nowMs + SILENT_AFTER_MS);
  }

  protected saveSession(session: Session): void {
    this.setDocument("session", session);
    this.tell("session", toSessionFacts(session, null));
  }

  protected session(): Session | null {
    return this.document<Session>("session") ?? null;
  }

  protected isAudioOnly(): boolean {
    return isAudioOnly(this.session());
  }

  /** One at a time: two at once would tell the same twice. */
  protected drainSoon(): Promise<void> {
    const drained = this.draining.then(() => this.drain());
    this.draining = drained.catch(() => {});
    return drained;
  }

  protected async deliver(messages: OutboxMessage[]): Promise<void> {
    const wakes = await projectStream(this.bindings(), this.name(), messages);
    for (const wake of wakes) this.state.waitUntil(wake());
  }
}
