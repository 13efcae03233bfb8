import type { Env } from "../../platform/env.ts";
import { type Remote, remoteObject } from "../../platform/machine/remote.ts";
import type { PieceList } from "./piece-list.ts";

/** The stored pieces of an upload. `totalBytes`: null until it is known. */
export interface ArrivedPieces {
  isWhole: boolean;
  totalBytes: number | null;
  pieces: PieceList;
}

/** The answer to a read that waits for bytes. */
export interface Arrival {
  hasArrived: boolean;
}

/** The calls of an upload's machine that concern its file. `UploadCalls` has the others; each answers null when no upload has this id. */
export interface UploadFileCalls {
  /** For readers of an upload that is still coming in. */
  readPieces(uploadId: string): Promise<ArrivedPieces | null>;
  /** Answers as soon as the first `untilBytes` bytes are stored, and after a bounded time if they are not. */
  awaitArrival(uploadId: string, untilBytes: number): Promise<Arrival | null>;
  /** Ends an upload that is not complete, and deletes its bytes. Repeatable. */
  cancel(uploadId: string): Promise<unknown>;
}

/** Returns a stub; sends nothing. */
export const uploadFile = (
  { UPLOAD_MACHINE }: Pick<Env, "UPLOAD_MACHINE">,
  uploadId: string,
): Remote<UploadFileCalls> => remoteObject(UPLOAD_MACHINE, uploadId);
