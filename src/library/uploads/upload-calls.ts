import type { Env } from "../../platform/env.ts";
import { callMachine } from "../../platform/machine/calls.ts";
import type { Arrival, ArrivedPieces } from "../sources/uploaded-source.ts";
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
  /** Of the whole file; null = the client does not know it yet. */
  totalBytes: number | null;
}

export type ChunkRefusal = "over" | "total_differs" | "beyond_total" | "too_large" | "too_many_pieces";

/** What becomes of a chunk. */
export type ChunkVerdict =
  /** Store its bytes from `skip` on as this piece, then commit the piece. */
  | { kind: "write"; piece: number; skip: number; length: number }
  /** None of its bytes continues the stored ones. */
  | { kind: "ignore"; progress: UploadProgress }
  | { kind: "refuse"; reason: ChunkRefusal; progress: UploadProgress };

/** The calls of an upload's machine. Each is one document. All but `start` return null when no upload has this id. */
export interface UploadCalls {
  /** Takes over a created upload. Repeatable. */
  start: (upload: { upload: Upload }) => UploadProgress;
  progress: (of: object) => UploadProgress;
  /** Decides about a chunk before its first byte is stored. */
  begin: (chunk: Chunk) => ChunkVerdict;
  /** Adds a stored piece to the upload. A piece that does not continue the stored bytes is not kept; the caller abandons it. */
  commit: (stored: { piece: number }) => Promise<{ isKept: boolean; progress: UploadProgress }>;
  /** The piece could not be stored. */
  abandon: (lost: { piece: number }) => void;
  /** States the length of the whole file. It can change only before the first byte. */
  announce: (total: { totalBytes: number }) => Promise<ChunkVerdict>;
  /** The stored pieces, for readers of an upload that is still coming in. */
  pieces: (of: object) => ArrivedPieces;
  /** Answers as soon as so many bytes are stored, and after a bounded time if they are not. */
  arrival: (wanted: { untilBytes: number }) => Promise<Arrival>;
  cancel: (of: object) => Promise<UploadProgress>;
  expire: (of: object) => Promise<UploadProgress>;
}

/**
 * Calls the machine of an upload.
 *
 * @returns null when no upload has this id
 */
export const callUpload = <Name extends keyof UploadCalls>(
  env: Env,
  uploadId: string,
  name: Name,
  document: Parameters<UploadCalls[Name]>[0],
) =>
  callMachine<Awaited<ReturnType<UploadCalls[Name]>> | null>(env.UPLOAD_MACHINE, uploadId, name, {
    ...document,
    uploadId,
  });
