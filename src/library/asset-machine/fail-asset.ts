import { type AssetError, STUCK } from "../assets/asset-error.ts";
import { erroredFacts } from "../assets/asset-facts.ts";
import { encoderClient } from "../encoding/encoder-client.ts";
import { abortCopy } from "../sources/copy-to-r2.ts";
import type { AssetParts, AssetTimer } from "./parts.ts";

/** With the timers' back-off, about ten minutes of retries. */
const MAX_WORK_FAILURES = 15;

export function failAsset(machine: AssetParts, error: AssetError): void {
  machine.state.move("fail", (event) => {
    machine.enqueueFacts(erroredFacts(error));
    machine.enqueueEvent(event);
  });
  const nowMs = machine.clock();
  machine.timers.cancel("work");
  machine.timers.bringForward("outbox", nowMs);
  machine.timers.schedule("cleanup", nowMs);
}

/** Fails an asset whose work keeps throwing for internal reasons, instead of retrying it forever. */
export function onTimerFailure(machine: AssetParts, timer: AssetTimer, failures: number): void {
  if (timer === "work" && failures >= MAX_WORK_FAILURES && machine.isProcessing) failAsset(machine, STUCK);
}

/** Cancels running jobs and aborts an unfinished copy. */
export async function cleanUp({ env, id, documents, jobs }: AssetParts): Promise<void> {
  const copy = documents.get("copy");
  const encoder = encoderClient(env);
  await Promise.all(jobs.leased().map((job) => encoder.cancel(job.id, job.attempt)));
  if (copy !== undefined && !copy.done) await abortCopy(env, id, copy);
}
