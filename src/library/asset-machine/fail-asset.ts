import type { AssetError } from "../assets/asset-error.ts";
import { erroredFacts } from "../assets/asset-facts.ts";
import { logFailed } from "./log-failed.ts";
import type { AssetComponents } from "./components.ts";
import { wakeSound } from "./take-track.ts";

/** Audio tracks read the failure from D1, so the outbox goes first. */
const AFTER_OUTBOX_MS = 500;

export function failAsset(machine: AssetComponents, error: AssetError): void {
  logFailed("asset.failed", { assetId: machine.id }, error);
  machine.state.move("fail", (event) => {
    machine.enqueueFacts(erroredFacts(error));
    machine.enqueueEvent(event);
  });
  const nowMs = machine.clock();
  machine.timers.cancel("work");
  machine.timers.bringForward("outbox", nowMs);
  machine.timers.schedule("cleanup", nowMs);
  wakeSound(machine, nowMs + AFTER_OUTBOX_MS);
}
