import type { TimerHandlers } from "../../platform/machine/timers.ts";
import { endUpload } from "./end-upload.ts";
import type { UploadComponents, UploadTimer } from "./components.ts";
import { reportArrival } from "./report-arrival.ts";
import { sweepPieces } from "./sweep-pieces.ts";

export function uploadTimers(machine: UploadComponents): TimerHandlers<UploadTimer> {
  const handlers: Record<UploadTimer, () => Promise<unknown>> = {
    outbox: () => machine.outbox.drain(),
    expiry: () => endUpload(machine, "expire"),
    arrival: () => reportArrival(machine),
    sweep: () => sweepPieces(machine),
  };
  return { run: async (timer) => void (await handlers[timer]()) };
}
