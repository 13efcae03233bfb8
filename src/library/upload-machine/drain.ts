import { errorFields, logWarning } from "../../platform/log.ts";
import type { UploadComponents } from "./components.ts";

/** Sends the outbox now, so that the caller's answer comes after it. On failure the timer sends it later. */
export async function drainSoon(machine: UploadComponents): Promise<void> {
  machine.timers.bringForward("outbox", machine.clock());
  try {
    await machine.outbox.drain();
  } catch (error) {
    logWarning("upload.projection_delayed", { uploadId: machine.upload.id, ...errorFields(error) });
  }
}
