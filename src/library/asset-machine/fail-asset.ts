import type { AssetError } from "../assets/asset-error.ts";
import { erroredFacts } from "../assets/asset-facts.ts";
import type { AssetParts } from "./parts.ts";

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
