import type { BroadcastReceiver } from "../../live/broadcast-process.ts";
import type { SourceBuffer } from "../source/source-buffer.ts";
import type { RunProgress } from "./run-progress.ts";
import type { SessionUpload } from "./session-upload.ts";

/** Passes an encoder's output to the upload, and records the progress that a successor needs. Releases source bytes no longer needed. */
export function recordingProgress(
  upload: SessionUpload,
  progress: RunProgress,
  source: Pick<SourceBuffer, "release">,
): BroadcastReceiver {
  return {
    onStarted: (facts) => upload.onStarted(facts),
    onOpening: (opening) => upload.onOpening(opening),
    onInit: (...init) => upload.onInit(...init),
    onPart: (...part) => upload.onPart(...part),
    onGap: (...gap) => upload.onGap(...gap),
    onRejected: (...rejected) => upload.onRejected(...rejected),
    onThumbnail: (...thumbnail) => upload.onThumbnail(...thumbnail),
    onThumbnailFailed: (reason) => upload.onThumbnailFailed(reason),
    onPulse: (pulse) => upload.onPulse(pulse),
    onWarnings: (warnings) => upload.onWarnings(warnings),
    onRungDropped: (dropped) => {
      progress.onRungDropped(dropped.rendition);
      upload.onRungDropped(dropped);
    },
    onRun: (state) => progress.onRun(state),
    onKey: (place) => {
      progress.onKey(place);
      source.release(progress.neededFrom());
    },
    onPartMade: (facts) => progress.onPart(facts),
  };
}
