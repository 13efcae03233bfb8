export { ingestRoutes, type LiveContext, requireSession } from "./ingest-routes.ts";
export { originOf } from "./origin-calls.ts";
export { findLivePlayable, isSessionOf, type LivePlayable } from "./playback.ts";
export { livingGateways } from "./repository.ts";
export { sweepStreams } from "./sweep.ts";
export { tellViewers } from "./viewers.ts";
