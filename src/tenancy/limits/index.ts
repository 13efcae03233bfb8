export { mediaTotalOf } from "./repository.ts";
export { commitWithinLimits } from "./commit-within-limits.ts";
export { countRequest } from "./limit-requests.ts";
