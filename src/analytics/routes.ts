import { newRouter } from "../platform/http/router.ts";
import { alertRoutes } from "./alerts/routes.ts";
import { refusalRoutes } from "./beacons/refusals-route.ts";
import { beaconRoutes } from "./beacons/routes.ts";
import { cmcdRoutes } from "./cmcd/routes.ts";
import { currentViewRoutes } from "./current/routes.ts";
import { engagementRoutes } from "./engagement/routes.ts";
import { exportDownloads, exportRoutes } from "./exports/routes.ts";
import { metricRoutes } from "./metrics/metric-routes.ts";
import { viewRoutes } from "./metrics/view-routes.ts";
import { refuseIndexedNames } from "./questions/refuse-indexed-names.ts";
import { viewerRoutes } from "./viewers/routes.ts";

/** The routes of video data, in matching order. Fixed paths come before the views, whose ids are in the same place of the path. */
export const analyticsRoutes = newRouter()
  .use("/v1/data/*", refuseIndexedNames)
  .route("/", exportRoutes)
  .route("/", viewerRoutes)
  .route("/", viewRoutes)
  .route("/", metricRoutes)
  .route("/", currentViewRoutes)
  .route("/", engagementRoutes)
  .route("/", refusalRoutes)
  .route("/", alertRoutes)
  .route("/", beaconRoutes)
  .route("/", cmcdRoutes)
  .route("/", exportDownloads);
