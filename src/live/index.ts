export { ingestRoutes, type LiveContext, requireSession } from "./ingest/ingest-routes.ts";
export { consumeClips, sweepClips } from "./clips/clips-copy.ts";
export { sweepSecrets } from "./streams/sweep-secrets.ts";
export { sweepStreams } from "./streams/sweep.ts";
export { tellViewers } from "./streams/viewers.ts";
