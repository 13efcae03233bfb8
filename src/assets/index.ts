export { assetRoutes } from "./routes.ts";
export { consumePurges } from "./purge.ts";
export { sweepAssets } from "./sweep.ts";
export { isAssetAlive } from "./repository.ts";
