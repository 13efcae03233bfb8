import type { UploadProgress } from "../uploads/upload-calls.ts";
import { drainSoon } from "./drain.ts";
import type { UploadComponents } from "./components.ts";
import { scheduleSweep } from "./sweep-pieces.ts";

/** Ends an upload that is not complete, and deletes its bytes. Repeatable. */
export async function endUpload(machine: UploadComponents, signal: "cancel" | "expire"): Promise<UploadProgress> {
  const atMs = machine.clock();
  const hasMoved = machine.state.move(signal, () => {
    machine.timers.cancel("expiry", "arrival");
    machine.pieces.dropKept();
    if (signal === "expire") machine.outbox.enqueue({ kind: "expired", payload: { atMs } });
    else machine.outbox.enqueue({ kind: "cancelled", payload: { atMs, eventId: crypto.randomUUID() } });
    scheduleSweep(machine);
  });
  machine.waits.releaseDue();
  if (hasMoved) await drainSoon(machine);
  return machine.progress;
}
