import type { Heartbeat, HeartbeatAnswer, Started } from "../protocol/live.ts";
import type { Env } from "../src/platform/env.ts";
import { log } from "../src/platform/log.ts";
import { isOnAir, type StreamStatus } from "../src/live/streams/moves.ts";
import type {
  ConnectAnswer,
  ConnectOrder,
  Connection,
  Named,
  StartedAnswer,
  StreamCalls,
} from "../src/live/streams/stream-calls.ts";
import {
  decideConnect,
  hasGatewayRestarted,
  openSession,
  resumeSession,
  type Session,
  type SessionEnd,
  waitMs,
} from "../src/live/sessions/session.ts";
import { LiveStreamKeeper } from "./live-stream-keeper.ts";

type Calls = {
  [Name in keyof StreamCalls]: (order: StreamCalls[Name]["order"]) => Answer<Name> | Promise<Answer<Name>>;
};
type Answer<Name extends keyof StreamCalls> = StreamCalls[Name]["answer"];

/** A count of viewers that nobody has renewed for this long is none. */
const VIEWERS_KEEP_MS = 30_000;

/** Owns what a live stream is doing: who may broadcast, since when, and what has been told of it (docs/architecture/live.md). */
export class LiveStreamMachine extends LiveStreamKeeper {
  declare watched: { sessionId: string; viewers: number; atMs: number } | null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.watched = null;
  }

  protected async receive(name: string, document: unknown): Promise<unknown> {
    const call = (this.calls() as unknown as Record<string, ((order: unknown) => unknown) | undefined>)[name];
    if (call === undefined) throw new Error(`a live stream machine does not know ${name}`);
    return await call(document);
  }

  private calls(): Calls {
    return {
      connect: (order) => this.connect(order),
      started: (order) => this.onStarted(order),
      heartbeat: (order) => this.onHeartbeat(order),
      check: (order) => ({ isCurrent: this.current(order) !== null, isLatest: this.isLatest(order) }),
      ended: (order) => this.onEnded(order),
      finish: (order) => this.finish(order),
      disable: (order) => this.act(order, () => this.leaveAir("disable", "disabled")),
      enable: (order) => this.act(order, () => this.step("enable")),
      remove: (order) => this.act(order, () => this.leaveAir("remove", "deleted")),
      configure: ({ reconnectWindowS }) => this.configure(reconnectWindowS),
      watched: (order) => this.onWatched(order),
      viewers: () => ({ views: this.countViewers(Date.now()) }),
      wake: (order) => this.lookAfter(order),
    };
  }

  /** An action of the stream's owner: what it changes is in D1 before it is answered, unless D1 is out of order. */
  private async act({ streamId }: Named, action: () => boolean): Promise<{ moved: boolean }> {
    this.setDocument("name", streamId);
    const moved = action();
    await this.drainSoon().catch((error: unknown) => {
      log("live.outbox_waits", { streamId, error: String(error) });
    });
    return { moved };
  }

  private async finish(order: Named): Promise<{ moved: boolean }> {
    await this.sayFarewell("finished");
    // What was never active has nothing to finish (contract/rest.md §6).
    return await this.act(order, () => this.status !== "preparing" && this.leaveAir("finish", "finished"));
  }

  private connect(order: ConnectOrder): ConnectAnswer {
    const nowMs = Date.now();
    const session = this.session();
    const heardAtMs = hasGatewayRestarted(session, order) ? 0 : this.heardAtMs;
    const decision = decideConnect(this.status, session?.windowEndsAtMs ?? null, heardAtMs, nowMs);
    if (decision !== "open" && decision !== "resume") return { accepted: false, reason: decision };
    this.setDocument("name", order.streamId);
    if (decision === "resume" && session !== null) return this.resume(session, order, nowMs);
    if (this.status === "disconnected") this.leaveAir("windowOver", "window_over"); // its timer is late
    return this.open(order, nowMs);
  }

  private open(order: ConnectOrder, nowMs: number): ConnectAnswer {
    const session = openSession(order, crypto.randomUUID(), nowMs);
    this.step("prepare", () => this.saveSession(session));
    this.step("connect");
    if (order.maxDurationS > 0) this.schedule("maxDuration", nowMs + waitMs(this.bindings(), order.maxDurationS));
    return this.accept(session, nowMs, false);
  }

  private resume(before: Session, order: ConnectOrder, nowMs: number): ConnectAnswer {
    if (isOnAir(this.status)) this.drop(); // silent for so long that another one takes its place
    const session = resumeSession(before, order);
    this.step(session.segments > 0 ? "reconnect" : "connect", () => this.saveSession(session));
    this.unschedule("window");
    return this.accept(session, nowMs, true);
  }

  private accept({ id: sessionId, connection, settings }: Session, nowMs: number, isResumed: boolean) {
    this.listen(nowMs);
    log("live.connected", { streamId: this.name(), sessionId, connection });
    return {
      accepted: true as const,
      sessionId,
      connection,
      settings: { ...settings, reconnect: isResumed },
      isResumed,
    };
  }

  private onStarted({ sessionId, connection, ...facts }: Connection & Started): StartedAnswer {
    const session = this.current({ sessionId, connection });
    if (session === null) return { isOver: true };
    this.listen(Date.now());
    this.commit(() => this.saveSession({ ...session, facts }));
    if (session.recording !== null && !session.isRecording) this.record({ ...session, facts, isRecording: true });
    else this.tell("moved", { status: this.status, audioOnly: this.isAudioOnly(), atMs: Date.now(), event: null });
    return { isOver: false, settings: session.settings, maxDurationS: session.maxDurationS ?? 0 };
  }

  private record(session: Session): void {
    const { id: mediaId, streamId, workspaceId, recording, settings } = session;
    if (recording === null) return;
    this.step("record", () => {
      this.saveSession(session);
      this.tell("recording", {
        mediaId,
        playbackId: crypto.randomUUID(),
        eventId: crypto.randomUUID(),
        streamId,
        workspaceId,
        publicUrl: recording.publicUrl,
        maxResolution: settings.maxResolution,
        mediaPolicy: recording.policy,
        atMs: Date.now(),
      });
    });
  }

  private onHeartbeat({ sessionId, connection, segments, droppedRungs, speed, silent }: Connection & Heartbeat) {
    const session = this.current({ sessionId, connection });
    if (session === null) return { continue: false, reason: this.whyNot({ sessionId, connection }) };
    if (silent) return { continue: true, reason: null };
    this.listen(Date.now());
    const next = { ...session, segments: Math.max(session.segments, segments), droppedRungs: droppedRungs.toSorted() };
    if (next.droppedRungs.join() !== session.droppedRungs.join()) this.tellRungs(next, speed);
    else if (next.segments !== session.segments) this.setDocument("session", next);
    if (this.status === "disconnected") this.comeBack(next);
    if (this.status === "preparing" && next.segments > 0) this.step("ready", () => this.saveSession(next));
    return { continue: true, reason: this.farewell?.why ?? null };
  }

  /** The encoder cannot keep up and has given rungs up, or another one makes them all again. */
  private tellRungs(session: Session, speed: number): void {
    const { id: sessionId, droppedRungs } = session;
    log("live.rungs_dropped", { streamId: this.name(), sessionId, rungs: droppedRungs.join(), speed });
    const event = { id: crypto.randomUUID(), type: "video.live_stream.updated" as const };
    this.commit(() => {
      this.setDocument("session", session);
      const { status } = this;
      this.tell("moved", { status, audioOnly: this.isAudioOnly(), atMs: Date.now(), event, droppedRungs });
    });
  }

  /** Only the way between gateway and Worker was cut: the broadcaster is still there, and nobody has taken its place. */
  private comeBack(session: Session): void {
    this.unschedule("window");
    this.step(session.segments > 0 ? "reconnect" : "connect", () =>
      this.saveSession({ ...session, windowEndsAtMs: null }),
    );
  }

  private onEnded(connection: Connection): null {
    const session = this.current(connection);
    if (session === null) return null;
    this.setDocument("session", { ...session, hasLeft: true });
    // Who has sent nothing that could be read leaves nothing to come back to.
    if (session.facts === null) this.leaveAir("windowOver", "window_over");
    else if (isOnAir(this.status)) this.drop();
    if (this.farewell === null) this.holdPicture();
    this.farewell?.over();
    return null;
  }

  private configure(reconnectWindowS: number): null {
    const session = this.session();
    if (session !== null) this.setDocument("session", { ...session, reconnectWindowS });
    return null;
  }

  private onWatched({ sessionId, viewers }: { sessionId: string; viewers: number }): null {
    this.watched = { sessionId, viewers, atMs: Date.now() };
    return null;
  }

  private countViewers(nowMs: number): number {
    const { watched } = this;
    const isCurrent = watched !== null && watched.sessionId === this.session()?.id;
    return isCurrent && nowMs - watched.atMs < VIEWERS_KEEP_MS ? watched.viewers : 0;
  }

  /** For the sweep: timers and outbox are looked at now, and the row is told what is. */
  private lookAfter({ streamId }: Named): { status: StreamStatus } {
    this.setDocument("name", streamId);
    if (isOnAir(this.status)) this.hasten("silence", Date.now());
    this.tell("moved", { status: this.status, audioOnly: this.isAudioOnly(), atMs: Date.now(), event: null });
    return { status: this.status };
  }

  /** The session, when it is this connection's word that counts. */
  private current({ sessionId, connection }: Connection): Session | null {
    const session = this.session();
    const isCurrent = session?.id === sessionId && session.connection === connection && !session.hasLeft;
    return isCurrent ? session : null;
  }

  /** Whether no other session has begun since. */
  private isLatest({ sessionId }: Connection): boolean {
    return (this.session()?.id ?? this.document<{ sessionId: string }>("last")?.sessionId) === sessionId;
  }

  private whyNot({ sessionId, connection }: Connection): HeartbeatAnswer["reason"] {
    const session = this.session();
    if (session?.id === sessionId) return connection < session.connection ? "replaced" : null;
    const last = this.document<{ sessionId: string; why: SessionEnd }>("last");
    return last?.sessionId === sessionId && last.why !== "window_over" ? last.why : null;
  }
}
