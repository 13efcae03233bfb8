import { log } from "../../platform/log.ts";
import { pieceKey } from "../../platform/storage/keys.ts";
import type { UploadComponents } from "./components.ts";

/** R2 deletes at most 1,000 keys in one call. */
const KEYS_AT_ONCE = 1000;

/** Part of each commit that changes when a piece is deleted. */
export function scheduleSweep({ pieces, timers, clock }: UploadComponents): void {
  const at = pieces.nextDeletion;
  if (at === null) timers.cancel("sweep");
  else timers.schedule("sweep", Math.max(at, clock()));
}

/** Deletes the objects of pieces that are not part of the upload. */
export async function sweepPieces(machine: UploadComponents): Promise<void> {
  const { pieces, upload } = machine;
  const numbers = pieces.due(machine.clock(), KEYS_AT_ONCE);
  if (numbers.length > 0) await machine.env.MEDIA.delete(numbers.map((piece) => pieceKey(upload.id, piece)));
  machine.commit(() => pieces.forget(numbers));
  if (numbers.length > 0) log("upload.pieces_deleted", { uploadId: upload.id, count: numbers.length });
  if (pieces.nextDeletion !== null) scheduleSweep(machine);
}
