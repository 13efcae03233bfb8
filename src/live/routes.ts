import { newRouter } from "../platform/http/router.ts";
import { ingestRoutes } from "./ingest/ingest-routes.ts";
import { pushRoutes } from "./ingest/push-routes.ts";
import { simulcastIngestRoutes } from "./simulcast/simulcast-ingest-routes.ts";
import { simulcastRoutes } from "./simulcast/simulcast-routes.ts";
import { livePlaybackRoutes } from "./streams/playback-id-routes.ts";
import { streamRoutes } from "./streams/routes.ts";

/** The routes of live streams, in matching order. */
export const liveRoutes = newRouter()
  .route("/", streamRoutes)
  .route("/", livePlaybackRoutes)
  .route("/", simulcastRoutes)
  .route("/", ingestRoutes)
  .route("/", simulcastIngestRoutes)
  .route("/", pushRoutes);
