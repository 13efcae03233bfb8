export { type Committed, commitWithEvents } from "./announce.ts";
export { consumeDeadDeliveries, consumeDeliveries } from "./consume.ts";
export { sweepDeliveries } from "./sweep.ts";
export { refreshMatchedTypes, resealSecrets } from "./upkeep.ts";
