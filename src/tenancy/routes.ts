import { newRouter } from "../platform/http/router.ts";
import { verifyCredentialsRoute } from "./credentials/verify-route.ts";
import { limitsRoutes } from "./limits/limits-route.ts";
import { playbackTokenRoutes } from "./playback-tokens/routes.ts";
import { signingKeyRoutes } from "./signing-keys/routes.ts";

/** The routes of workspaces and their keys, in matching order. Those of DRM configurations are among the library's paths (`library/routes.ts`). */
export const tenancyRoutes = newRouter()
  .route("/", verifyCredentialsRoute)
  .route("/", signingKeyRoutes)
  .route("/", limitsRoutes)
  .route("/", playbackTokenRoutes);
