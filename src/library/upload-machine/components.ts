import type { Env } from "../../platform/env.ts";
import { DocumentStore } from "../../platform/machine/document-store.ts";
import { Outbox } from "../../platform/machine/outbox.ts";
import { StateMachine } from "../../platform/machine/state-machine.ts";
import { Timers } from "../../platform/machine/timers.ts";
import { projectUpload, type UploadMessage } from "../uploads/projection.ts";
import type { Upload } from "../uploads/repository.ts";
import type { UploadProgress, UploadStatus } from "../uploads/upload-calls.ts";
import { ArrivalWaits } from "./arrival-waits.ts";
import { UPLOAD_MOVES, type UploadSignal } from "./moves.ts";
import { PieceTable } from "./piece-table.ts";

/** `sweep` deletes the objects of pieces that were not kept, `arrival` reports to the media what has been stored. */
export type UploadTimer = "outbox" | "expiry" | "sweep" | "arrival";

interface UploadDocuments {
  upload: Upload;
  storedBytes: number;
  totalBytes: number;
  /** Counted as storage of the workspace. */
  reservedBytes: number;
  /** Whether the media was created with its index, before the upload is complete. Unset until that is known. */
  playsEarly: boolean;
  /** When an arrival was last reported, epoch ms. */
  reportedAtMs: number;
}

/** The components of an upload's machine. Its verbs are the other files of this folder. */
export class UploadComponents {
  readonly env: Env;
  /** Epoch ms. */
  readonly clock: () => number;
  readonly documents: DocumentStore<UploadDocuments>;
  readonly state: StateMachine<UploadStatus, UploadSignal>;
  readonly timers: Timers<UploadTimer>;
  readonly outbox: Outbox<UploadMessage>;
  readonly pieces: PieceTable;
  /** The reservation that is under way, in memory; later ones wait for it. */
  reserving: Promise<unknown> = Promise.resolve();
  /** In memory: a wait ends with the object. */
  readonly waits: ArrivalWaits;
  readonly #storage: DurableObjectStorage;

  constructor({ storage }: DurableObjectState, env: Env, clock: () => number = () => Date.now()) {
    const label = () => ({ machine: "upload", id: this.documents.get("upload")?.id ?? "" });
    this.#storage = storage;
    this.env = env;
    this.clock = clock;
    this.documents = new DocumentStore(storage);
    this.state = new StateMachine<UploadStatus, UploadSignal>(storage, "waiting", UPLOAD_MOVES, label);
    this.timers = new Timers(storage, clock, label);
    this.outbox = new Outbox(storage.sql, (messages) =>
      projectUpload(
        this.env,
        { upload: this.upload, pieces: () => this.pieces.kept(), hasBegun: this.documents.get("playsEarly") === true },
        messages,
        new Date(clock()),
      ),
    );
    this.pieces = new PieceTable(storage.sql);
    this.waits = new ArrivalWaits(() => this.progress);
  }

  /** @throws {Error} before the machine has been started */
  get upload(): Upload {
    const upload = this.documents.get("upload");
    if (upload === undefined) throw new Error("the machine has not been started");
    return upload;
  }

  get progress(): UploadProgress {
    return {
      status: this.state.status,
      storedBytes: this.documents.get("storedBytes") ?? 0,
      totalBytes: this.documents.get("totalBytes") ?? null,
    };
  }

  /** Makes several writes one commit. */
  commit<T>(write: () => T): T {
    return this.#storage.transactionSync(write);
  }
}
