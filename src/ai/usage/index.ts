export { budgetMicroUsd, type Call, isCovered, releaseCall, reserveCall, settleCall } from "./count-calls.ts";
export { aiUsage } from "./tables.ts";
