import type { Env } from "../../platform/env.ts";
import { DocumentStore } from "../../platform/machine/document-store.ts";
import { Timers } from "../../platform/machine/timers.ts";
import { CueIndex } from "./cue-index.ts";
import type { MediaPlace } from "./media-texts.ts";

/** A run that should have begun so long ago has lost its alarm: the runtime gives one up that has ended its object several times. */
const LOST_MS = 5 * 60_000;

/** How far an index is that is made anew. */
export interface Rebuilding {
  /** The change that asked for it. */
  seq: number;
  /** The last media that was taken over. */
  after: MediaPlace;
}

interface Documents {
  /** The workspace whose texts these are. */
  workspaceId: string;
  /** While the index is made anew. */
  rebuilding: Rebuilding;
}

/** The components of a search index. Its verbs are other files of this folder. */
export class SearchComponents {
  readonly env: Env;
  readonly index: CueIndex;
  readonly documents: DocumentStore<Documents>;
  /** `feed` takes changes over. */
  readonly timers: Timers<"feed">;

  constructor({ storage }: DurableObjectState, env: Env) {
    this.env = env;
    this.index = new CueIndex(storage);
    this.documents = new DocumentStore(storage);
    this.timers = new Timers(storage, Date.now, () => ({ machine: "search_index", id: this.workspaceId ?? "" }));
  }

  /** Null before the first change. */
  get workspaceId(): string | null {
    return this.documents.get("workspaceId") ?? null;
  }

  /** Takes changes over as soon as the object's alarm comes, or at the end of the pause after a failure. */
  wake(workspaceId: string, nowMs = Date.now()): void {
    if (this.workspaceId === null) this.documents.put("workspaceId", workspaceId);
    const dueMs = this.timers.dueOf("feed");
    if (dueMs === null || dueMs < nowMs - LOST_MS) this.timers.schedule("feed", nowMs);
  }
}
