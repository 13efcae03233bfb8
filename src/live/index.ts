export { consumeClips } from "./clips/consume-clips.ts";
export { sweepClips } from "./clips/sweep-clips.ts";
export { sweepSecrets } from "./streams/sweep-secrets.ts";
export { isOffAir } from "./sessions/off-air.ts";
export { sweepStreams } from "./streams/sweep.ts";
export { findClip, type FoundClip, type GoneClip } from "./clips/find-clip.ts";
export { saveClip } from "./clips/save-clip.ts";
export { MAX_CLIP_SECONDS, MAX_CLIP_SEGMENTS } from "./origin/recorded/clips-range.ts";
export { readClipRequest } from "./clips/clips-request.ts";
export {
  findLiveSession,
  findRecordingRules,
  isSessionOf,
  type LivePlayable,
  type LiveSession,
  newestSession,
  PLAYABLE_COLUMNS,
  type RecordingRules,
  toLivePlayable,
} from "./streams/playback.ts";
export { findSessionRange } from "./recording/find-session-range.ts";
export { readRecordedSession } from "./recording/read-recorded-session.ts";
export type { SegmentRange } from "./origin/recorded/recorded-session.ts";
export { recordingRows } from "./recording/recording-rows.ts";
export { isLatelyOver, stageOf } from "./streams/after-end.ts";
export type { OriginAnswer } from "./origin/origin-calls.ts";
export { initVersionNamed } from "./origin/segment-uploads.ts";
export { originOf } from "./origin/origin-calls.ts";
export { ViewerBatch } from "./origin/viewer-window.ts";
export { streamParams } from "./streams/route-parts.ts";
export { liveStreams } from "./streams/tables.ts";
