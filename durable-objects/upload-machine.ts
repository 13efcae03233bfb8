import { DurableObject } from "cloudflare:workers";
import type { Arrival, ArrivedPieces } from "../src/library/sources/upload-file-calls.ts";
import { announceTotal, beginChunk } from "../src/library/upload-machine/begin-chunk.ts";
import { abandonPieces, commitPiece } from "../src/library/upload-machine/commit-piece.ts";
import { UploadComponents } from "../src/library/upload-machine/components.ts";
import { endUpload } from "../src/library/upload-machine/end-upload.ts";
import { awaitArrival, readPieces } from "../src/library/upload-machine/read-file.ts";
import { ensureStarted, startUpload } from "../src/library/upload-machine/start-upload.ts";
import { uploadTimers } from "../src/library/upload-machine/timers.ts";
import type { Upload } from "../src/library/uploads/repository.ts";
import type {
  Chunk,
  ChunkVerdict,
  PieceCommit,
  UploadCalls,
  UploadProgress,
} from "../src/library/uploads/upload-calls.ts";
import type { Env } from "../src/platform/env.ts";

/** Owns one direct upload: which bytes are stored, and in which pieces (docs/architecture/uploads.md). */
export class UploadMachine extends DurableObject<Env> implements UploadCalls {
  readonly components: UploadComponents;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.components = new UploadComponents(ctx, env);
  }

  override alarm(): Promise<void> {
    return this.components.timers.runDue(uploadTimers(this.components));
  }

  start(upload: Upload): UploadProgress {
    return startUpload(this.components, upload);
  }

  readProgress(uploadId: string): Promise<UploadProgress | null> {
    return this.#within(uploadId, ({ progress }) => progress);
  }

  beginChunk(uploadId: string, chunk: Chunk): Promise<ChunkVerdict | null> {
    return this.#within(uploadId, (upload) => beginChunk(upload, chunk));
  }

  commitPiece(uploadId: string, piece: number): Promise<PieceCommit | null> {
    return this.#within(uploadId, (upload) => commitPiece(upload, piece));
  }

  async abandonPiece(uploadId: string, piece: number): Promise<void> {
    await this.#within(uploadId, (upload) => abandonPieces(upload, [piece]));
  }

  announceTotal(uploadId: string, totalBytes: number): Promise<ChunkVerdict | null> {
    return this.#within(uploadId, (upload) => announceTotal(upload, totalBytes));
  }

  readPieces(uploadId: string): Promise<ArrivedPieces | null> {
    return this.#within(uploadId, readPieces);
  }

  awaitArrival(uploadId: string, untilBytes: number): Promise<Arrival | null> {
    return this.#within(uploadId, (upload) => awaitArrival(upload, untilBytes));
  }

  cancel(uploadId: string): Promise<UploadProgress | null> {
    return this.#within(uploadId, (upload) => endUpload(upload, "cancel"));
  }

  expire(uploadId: string): Promise<UploadProgress | null> {
    return this.#within(uploadId, (upload) => endUpload(upload, "expire"));
  }

  /** @returns null when no upload has this id */
  async #within<T>(uploadId: string, call: (upload: UploadComponents) => T | Promise<T>): Promise<T | null> {
    return (await ensureStarted(this.components, uploadId)) ? await call(this.components) : null;
  }
}
