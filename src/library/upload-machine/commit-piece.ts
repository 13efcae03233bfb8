import type { PieceCommit } from "../uploads/upload-calls.ts";
import { drainSoon } from "./drain.ts";
import type { UploadComponents } from "./components.ts";
import { scheduleReport } from "./report-arrival.ts";
import { scheduleSweep } from "./sweep-pieces.ts";

/**
 * Adds a stored piece to the upload when it continues the stored bytes. Of several clients that send the same bytes, the first one to commit
 * wins, and the others compare their pieces with it and abandon them. Repeatable.
 */
export async function commitPiece(machine: UploadComponents, number: number): Promise<PieceCommit> {
  const { documents, pieces } = machine;
  const piece = pieces.get(number);
  if (piece?.isKept === true) return { isKept: true, progress: machine.progress };
  const { status, storedBytes } = machine.progress;
  if (piece === null || status !== "waiting" || piece.start !== storedBytes)
    return { isKept: false, progress: machine.progress };
  machine.commit(() => {
    pieces.keep(number);
    documents.put("storedBytes", storedBytes + piece.bytes);
    scheduleReport(machine);
    scheduleSweep(machine);
  });
  machine.waits.releaseDue();
  await completeIfWhole(machine);
  return { isKept: true, progress: machine.progress };
}

/** Completes an upload that has all its bytes. The media exists when this returns, unless D1 cannot be written at the moment. */
export async function completeIfWhole(machine: UploadComponents): Promise<void> {
  const { status, storedBytes, totalBytes } = machine.progress;
  if (status !== "waiting" || storedBytes === 0 || storedBytes !== totalBytes) return;
  const atMs = machine.clock();
  machine.state.move("complete", () => {
    machine.timers.cancel("expiry", "arrival");
    machine.outbox.enqueue({ kind: "completed", payload: { atMs, eventId: crypto.randomUUID() } });
  });
  await drainSoon(machine);
}

/** Deletes the objects of pieces that are not part of the upload. */
export function abandonPieces(machine: UploadComponents, numbers: number[]): void {
  machine.pieces.drop(numbers);
  scheduleSweep(machine);
}
