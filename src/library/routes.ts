import type { MiddlewareHandler } from "hono";
import { type AppContext, newRouter } from "../platform/http/router.ts";
import { drmConfigurationRoutes } from "../tenancy/drm/index.ts";
import { activityRoutes } from "./assets/activity-routes.ts";
import { mediaClipsRoute } from "./assets/media-clips-route.ts";
import { assetRoutes } from "./assets/routes.ts";
import { encoderCallbacks } from "./encoding/routes.ts";
import { insightRoutes } from "./insights/routes.ts";
import { mediaPlaybackRoutes } from "./playback-ids/routes.ts";
import { playlistRoutes } from "./playlists/routes.ts";
import { speechCallbacks } from "./speech/routes.ts";
import { trackRoutes } from "./tracks/routes.ts";
import { uploadPageRoutes } from "./uploads/page/routes.ts";
import { uploadRoutes } from "./uploads/routes.ts";
import { transferRoutes } from "./uploads/transfer/routes.ts";
import { tusRoutes } from "./uploads/tus/routes.ts";

/** What routes of the library call in other domains. */
export interface LibraryRouteCalls {
  /** Drops this isolate's cached playback of an ID. */
  forgetPlayback: (playbackId: string) => void;
  /** What a request with credentials passes outside `/v1`, too. */
  asApiRequest: readonly MiddlewareHandler<AppContext>[];
}

/** The routes of the library, in matching order. Fixed paths come before the media, whose ids are in the same place of the path. */
export const libraryRoutes = (calls: LibraryRouteCalls) =>
  newRouter()
    .route("/", playlistRoutes)
    .route("/", drmConfigurationRoutes)
    .route("/", uploadRoutes)
    .route("/", assetRoutes(calls))
    .route("/", mediaPlaybackRoutes(calls))
    .route("/", trackRoutes(calls))
    .route("/", insightRoutes(calls))
    .route("/", mediaClipsRoute)
    .route("/", activityRoutes)
    .route("/", uploadPageRoutes)
    .route("/", tusRoutes(calls))
    .route("/", transferRoutes)
    .route("/", speechCallbacks)
    .route("/", encoderCallbacks);
