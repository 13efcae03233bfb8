import { SILENT_AFTER_MS } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { DocumentStore } from "../../platform/machine/document-store.ts";
import { Outbox, type Sequenced } from "../../platform/machine/outbox.ts";
import { StateMachine } from "../../platform/machine/state-machine.ts";
import { Timers } from "../../platform/machine/timers.ts";
import { projectStream, type StreamMessage } from "../sessions/projection.ts";
import { isAudioOnly, type Session, type SessionEnd, toSessionFacts } from "../sessions/session.ts";
import { warningsOf } from "../sessions/session-warnings.ts";
import { STREAM_MOVES, type StreamSignal, type StreamStatus } from "../streams/moves.ts";
import { GracefulStop } from "./graceful-stop.ts";
import { ViewerCount } from "./viewer-count.ts";

export type StreamTimer = "silence" | "window" | "maxDuration" | "warnings" | "outbox";

interface StreamDocuments {
  /** The stream's id. */
  name: string;
  session: Session;
  /** The session before, and why it ended. */
  last: { sessionId: string; why: SessionEnd };
}

type Payload<Kind extends StreamMessage["kind"]> = Extract<StreamMessage, { kind: Kind }>["payload"];

/** The components of a stream's machine, and the messages that it enqueues for D1. Its verbs are the other files of this folder. */
export class StreamComponents {
  readonly ctx: DurableObjectState;
  readonly env: Env;
  /** Epoch ms. */
  readonly clock: () => number;
  readonly documents: DocumentStore<StreamDocuments>;
  readonly state: StateMachine<StreamStatus, StreamSignal>;
  readonly timers: Timers<StreamTimer>;
  readonly outbox: Outbox<StreamMessage>;
  /** Not stored: a stop that a restart interrupts is not carried out, and its caller gets an error. */
  readonly gracefulStop = new GracefulStop();
  readonly viewers = new ViewerCount();
  /** When the broadcaster was last heard, epoch ms. Not stored: after a restart the silence is counted from the restart. */
  heardAtMs: number;
  /** The broadcaster's connection is over, but its session is not: another broadcaster may take over. Not stored. */
  hasDisconnected = false;

  constructor(ctx: DurableObjectState, env: Env, clock: () => number = () => Date.now()) {
    const { storage } = ctx;
    const label = () => ({ machine: "live_stream", id: this.id });
    this.ctx = ctx;
    this.env = env;
    this.clock = clock;
    this.documents = new DocumentStore(storage);
    this.state = new StateMachine<StreamStatus, StreamSignal>(storage, "idle", STREAM_MOVES, label);
    this.timers = new Timers(storage, clock, label);
    this.outbox = new Outbox(storage.sql, (messages) => this.#project(messages));
    this.heardAtMs = clock();
  }

  get id(): string {
    return this.documents.get("name") ?? this.ctx.id.toString();
  }

  get session(): Session | null {
    return this.documents.get("session") ?? null;
  }

  /** Makes several writes one commit. */
  commit(write: () => void): void {
    this.ctx.storage.transactionSync(write);
  }

  enqueue<Kind extends StreamMessage["kind"]>(kind: Kind, payload: Payload<Kind>): void {
    this.outbox.enqueue({ kind, payload } as StreamMessage);
    this.timers.bringForward("outbox", this.clock());
  }

  /** Updates the row in D1, with or without an event. */
  enqueueStatus(status: StreamStatus, more: Partial<Payload<"moved">> = {}): void {
    const { session } = this;
    const warned = session === null ? {} : { ingestWarnings: warningsOf(session.warnings) };
    const audioOnly = isAudioOnly(session);
    this.enqueue("moved", { status, audioOnly, ...warned, atMs: this.clock(), event: null, ...more });
    this.timers.cancel("warnings"); // written with the row
  }

  saveSession(session: Session): void {
    this.documents.put("session", session);
    this.enqueue("session", toSessionFacts(session, null));
  }

  /** Makes a move, runs `also` and enqueues the event, in one commit. @returns false when the state does not accept the signal */
  move(signal: StreamSignal, also: () => void = () => {}): boolean {
    return this.state.move(signal, (type, next) => {
      also();
      this.enqueueStatus(next, { event: type === null ? null : { id: crypto.randomUUID(), type: type as never } });
    });
  }

  /** Records that the broadcaster was heard. */
  listen(): void {
    this.heardAtMs = this.clock();
    if (!this.timers.isScheduled("silence")) this.timers.schedule("silence", this.heardAtMs + SILENT_AFTER_MS);
  }

  async #project(messages: Sequenced<StreamMessage>[]): Promise<void> {
    const wakes = await projectStream(this.env, this.id, messages);
    for (const wake of wakes) this.ctx.waitUntil(wake());
  }
}
