import type { Env } from "../../platform/env.ts";
import { DocumentStore } from "../../platform/machine/document-store.ts";
import { Outbox } from "../../platform/machine/outbox.ts";
import { type Moves, StateMachine } from "../../platform/machine/state-machine.ts";
import { Timers } from "../../platform/machine/timers.ts";
import type { EdgeFacts } from "../views/edge-facts.ts";
import type { PlayedContent } from "../views/played-content.ts";
import { EventTable } from "./event-table.ts";

/**
 * `project` writes the running view to the store, `settle` ends it once missing events have had time to arrive, `silence` ends it without an end
 * event, `outbox` writes its final state and its event, `free` deletes the machine's storage.
 */
export type ViewTimer = "project" | "settle" | "silence" | "outbox" | "free";
export type ViewStatus = "open" | "final" | "forgotten";
type ViewSignal = "end" | "forget";

const MOVES: Moves<ViewStatus, ViewSignal> = {
  open: { end: ["final", null], forget: ["forgotten", null] },
  final: { forget: ["forgotten", null] },
  forgotten: {},
};

/** The messages of the outbox. */
export interface ViewMessage {
  kind: "ended";
  payload: { eventId: string };
}

/** Sends messages of the outbox. Idempotent. */
type Announce = (machine: ViewComponents, messages: ViewMessage[]) => Promise<void>;

/** The machine's facts about its view, apart from the events. */
export interface ViewFacts {
  workspaceId: string;
  viewId: string;
  edge: EdgeFacts;
  /** Epoch ms. */
  insertedAtMs: number;
}

interface ViewDocuments {
  facts: ViewFacts;
  /** Looked up once; null = the source's URL names no playback ID of the workspace. */
  content: { found: PlayedContent | null };
  projection: Projection;
  /** The view has its place among the events of the day. */
  eventPlace: true;
}

/** The last projection to the store. */
interface Projection {
  /** The store's month; null = not written yet. */
  month: string | null;
  /** Number of writes. */
  revision: number;
  /** Time of the last write, epoch ms. */
  atMs: number;
}

/** Until 2026-11-24 a projection was three documents, so each write had three rows. */
interface FormerDocuments {
  month: string;
  revision: number;
  projectedAtMs: number;
}

/** The components of a view's machine. Its verbs are the other files of this folder. */
export class ViewComponents {
  readonly env: Env;
  /** Epoch ms. */
  readonly clock: () => number;
  readonly documents: DocumentStore<ViewDocuments & FormerDocuments>;
  readonly state: StateMachine<ViewStatus, ViewSignal>;
  readonly timers: Timers<ViewTimer>;
  readonly events: EventTable;
  readonly outbox: Outbox<ViewMessage>;
  readonly #storage: DurableObjectStorage;

  constructor({ storage }: DurableObjectState, env: Env, announce: Announce, clock: () => number = () => Date.now()) {
    const label = () => ({ machine: "view", id: this.documents.get("facts")?.viewId ?? "" });
    this.#storage = storage;
    this.env = env;
    this.clock = clock;
    this.documents = new DocumentStore(storage);
    this.state = new StateMachine<ViewStatus, ViewSignal>(storage, "open", MOVES, label);
    this.timers = new Timers(storage, clock, label);
    this.events = new EventTable(storage.sql);
    this.outbox = new Outbox(storage.sql, (messages) => announce(this, messages));
  }

  /** @throws {Error} before the first event */
  get facts(): ViewFacts {
    const facts = this.documents.get("facts");
    if (facts === undefined) throw new Error("the machine has no view");
    return facts;
  }

  get projection(): Projection {
    const { documents } = this;
    return (
      documents.get("projection") ?? {
        month: documents.get("month") ?? null,
        revision: documents.get("revision") ?? 0,
        atMs: documents.get("projectedAtMs") ?? 0,
      }
    );
  }

  /** Runs several writes as one commit. */
  commit<T>(write: () => T): T {
    try {
      return this.#storage.transactionSync(write);
    } catch (error) {
      this.events.forgetCached();
      throw error;
    }
  }
}
