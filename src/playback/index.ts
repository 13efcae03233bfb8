export { PlaybackOrigin } from "./origin.ts";
export { forgetPlayback } from "./resolve.ts";
export { playbackRoutes } from "./routes.ts";
