export { budgetMicroUsd, type Call, isCovered, releaseCall, reserveCall } from "./count-calls.ts";
export { aiUsage } from "./tables.ts";
