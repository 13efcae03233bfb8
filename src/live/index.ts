export { ingestRoutes, type LiveContext, requireSession } from "./ingest-routes.ts";
export { consumeClips, sweepClips } from "./clips-copy.ts";
export { sweepSecrets } from "./sweep-secrets.ts";
export { sweepStreams } from "./sweep.ts";
export { tellViewers } from "./viewers.ts";
