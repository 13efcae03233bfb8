import { newRouter } from "../platform/http/router.ts";
import { hostRoutes } from "./hosts/routes.ts";
import { listRoutes } from "./lists/routes.ts";

export { listUploadRoutes } from "./lists/upload-route.ts";

/** The routes of migrations, in matching order. Fixed paths come before the batches, whose ids are in the same place of the path. */
export const importRoutes = () => newRouter().route("/", listRoutes).route("/", hostRoutes);
