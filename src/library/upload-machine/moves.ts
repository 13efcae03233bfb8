import type { Moves } from "../../platform/machine/state-machine.ts";
import type { UploadStatus } from "../uploads/upload-calls.ts";

export type UploadSignal = "complete" | "cancel" | "expire";

/** The event of `complete` announces the media, so the projection adds it. */
export const UPLOAD_MOVES: Moves<UploadStatus, UploadSignal> = {
  waiting: {
    complete: ["complete", "video.upload.media_created"],
    cancel: ["cancelled", "video.media.upload.cancelled"],
    expire: ["expired", null],
  },
  complete: {},
  cancelled: {},
  expired: {},
};
