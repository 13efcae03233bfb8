/** All public names of the interface, which receivers may know. */
export const CONTRACT_NAMES = `
video.media.upload
video.upload.media_created
video.media.created
video.media.ready
video.media.failed
video.media.updated
video.media.deleted
video.media.upload.cancelled
video.media.non_standard_format.detected
video.media.live_stream.created
video.media.live_clip.created
video.playback_id.created
video.playback_id.deleted
video.media.intro.ready
video.media.outro.ready
video.media.expunge.ready
video.media.splice.ready
video.media.impose_track.ready
video.media.audio_swap.ready
video.media.optimize_audio.ready
video.media.watermark.ready
video.media.mp4Support.ready
video.media.source.ready
video.media.source.deleted
video.media.track.created
video.media.track.ready
video.media.track.failed
video.media.track.updated
video.media.track.deleted
video.media.subtitle.generated.ready
video.mediaAI.chapters.ready
video.mediaAI.namedEntities.ready
video.mediaAI.summary.ready
video.mediaAI.moderation.ready
video.live_stream.created
video.live_stream.preparing
video.live_stream.connected
video.live_stream.active
video.live_stream.recording
video.live_stream.disconnected
video.live_stream.idle
video.live_stream.updated
video.live_stream.deleted
video.live_stream.disabled
video.live_stream.srt_detected
video.live_stream.rtmps_detected
video.live_stream.simulcast_target.created
video.live_stream.simulcast_target.starting
video.live_stream.simulcast_target.broadcasting
video.live_stream.simulcast_target.updated
video.live_stream.simulcast_target.deleted
asset.created
asset.ready
asset.errored
live_stream.connected
live_stream.disconnected
live_stream.recording.ready
playback.completed
playback.errored
ai.captions.ready
ai.moderation.flagged
migration.batch.completed
`
  .trim()
  .split("\n");

/** The kinds of the specification and their names here, which differ for one alias only. */
export const SPECIFICATION_NAMES = {
  "asset.created": "asset.created",
  "asset.ready": "asset.ready",
  "asset.errored": "asset.errored",
  "live_stream.connected": "live_stream.connected",
  "live_stream.disconnected": "live_stream.disconnected",
  "live_stream.recording.ready": "live_stream.recording.ready",
  "playback.completed": "playback.completed",
  "playback.errored": "playback.errored",
  "ai.captions.ready": "ai.captions.ready",
  "ai.moderation.flagged": "ai.moderation.flagged",
  "migration.batch.completed": "migration.batch.completed",
  "video.media.ready": "asset.ready",
  "video.live_stream.created": "video.live_stream.created",
} as const;
