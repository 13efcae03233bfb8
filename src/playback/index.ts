export { PlaybackOrigin } from "./origin.ts";
export { forgetPlayback } from "./resolve.ts";
export { answerPlayback, playbackRoutes } from "./routes.ts";
