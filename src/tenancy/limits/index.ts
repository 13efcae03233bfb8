export { mediaTotalOf, usageOf } from "./repository.ts";
export { boundsOf, commitWithinLimits } from "./commit-within-limits.ts";
export { countRequest } from "./limit-requests.ts";
export { workspaceUsage } from "./tables.ts";
