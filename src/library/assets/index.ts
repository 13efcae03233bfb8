export { assetRoutes } from "./routes.ts";
export { consumePurges } from "./purge.ts";
export { sweepAssets } from "./sweep.ts";
export { type NewRecording, openRecording, recordingIdsOf } from "./open-recording.ts";
export { failRecording } from "./fail-recording.ts";
export { purgeAfterBroadcast } from "./purge-after-broadcast.ts";
