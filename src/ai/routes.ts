import { newRouter } from "../platform/http/router.ts";
import { aiSettingsRoutes } from "./settings/routes.ts";
import { aiUsageRoutes } from "./usage/routes.ts";

export const aiRoutes = newRouter().route("/", aiUsageRoutes).route("/", aiSettingsRoutes);
