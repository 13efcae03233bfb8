import type { Env } from "../../platform/env.ts";
import { type Remote, remoteObject } from "../../platform/machine/remote.ts";
import type { UploadFileCalls } from "../sources/upload-file-calls.ts";
import type { Upload } from "./repository.ts";

export type UploadStatus = Upload["status"];

/** What an upload has stored, without a gap from the first byte. */
export interface UploadProgress {
  status: UploadStatus;
  storedBytes: number;
  /** Null until a client has stated it. */
  totalBytes: number | null;
}

/** A part of the file that a client sends. */
export interface Chunk {
  offset: number;
  length: number;
  /** Size of the whole file; null = the client does not know it yet. */
  totalBytes: number | null;
}

export type ChunkRefusal = "over" | "total_differs" | "beyond_total" | "too_large" | "too_many_pieces" | "storage_full";

/** What becomes of a chunk. */
export type ChunkVerdict =
  /** Store its bytes from `skip` on as this piece, then commit the piece. */
  | { kind: "write"; piece: number; skip: number; length: number }
  /** None of its bytes continues the stored ones. */
  | { kind: "ignore"; progress: UploadProgress }
  | { kind: "refuse"; reason: ChunkRefusal; progress: UploadProgress };

/** What became of a stored piece. */
export interface PieceCommit {
  isKept: boolean;
  progress: UploadProgress;
}

/**
 * The RPC methods of an upload's machine (`durable-objects/upload-machine.ts`). Those with a result, but for `start`, answer null when no upload has this id: each call
 * names the upload, because it may be the first one to reach the machine.
 */
export interface UploadCalls extends UploadFileCalls {
  /** Takes over a created upload. Repeatable. */
  start(upload: Upload): UploadProgress;
  readProgress(uploadId: string): Promise<UploadProgress | null>;
  /** Decides about a chunk before its first byte is stored. */
  beginChunk(uploadId: string, chunk: Chunk): Promise<ChunkVerdict | null>;
  /** Adds a stored piece to the upload. A piece that does not continue the stored bytes is not kept; the caller abandons it. */
  commitPiece(uploadId: string, piece: number): Promise<PieceCommit | null>;
  /** The piece could not be stored. */
  abandonPiece(uploadId: string, piece: number): Promise<void>;
  /** States the length of the whole file. It can change only before the first byte. */
  announceTotal(uploadId: string, totalBytes: number): Promise<ChunkVerdict | null>;
  cancel(uploadId: string): Promise<UploadProgress | null>;
  expire(uploadId: string): Promise<UploadProgress | null>;
}

/** Returns a stub; sends nothing. */
export const uploadMachine = (env: Env, uploadId: string): Remote<UploadCalls> =>
  remoteObject(env.UPLOAD_MACHINE, uploadId);
