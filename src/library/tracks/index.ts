export { addCaptionTrack, type TrackLabels } from "./add-caption-track.ts";
export { readSubtitles } from "./read-subtitles.ts";
