import { newRouter } from "../platform/http/router.ts";
import { batchRoutes } from "./batches/routes.ts";
import { openSource, type PlatformKind } from "./connections/open-source.ts";
import type { OpenSourceOf } from "./credentials/definitions.ts";
import { credentialRoutes } from "./credentials/routes.ts";
import { hostRoutes } from "./hosts/routes.ts";
import { listRoutes } from "./lists/routes.ts";
import { reportRoutes } from "./report/routes.ts";
import { SOURCES } from "./sources/index.ts";

export { listUploadRoutes } from "./lists/upload-route.ts";

/** A list has no credentials, so none of it is ever opened here. */
const openSourceOf: OpenSourceOf = (env, kind, options, credentials) =>
  openSource(env, { kind: kind as PlatformKind, options, credentials });

/** The routes of migrations, in matching order. Fixed paths come before the batches, whose ids are in the same place of the path. */
export const importRoutes = () =>
  newRouter()
    .route("/", listRoutes)
    .route("/", hostRoutes)
    .route("/", credentialRoutes({ definitions: SOURCES, openSource: openSourceOf }))
    .route("/", batchRoutes)
    .route("/", reportRoutes);
