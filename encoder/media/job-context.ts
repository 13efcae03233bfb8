import type { PartialRendition } from "../../protocol/jobs.ts";

/** Reports of a running job to its parent process. */
export interface JobContext {
  /** @param fraction 0 to 1 @param speed media seconds per wall-clock second, 0 = unknown */
  onProgress: (fraction: number, speed: number) => void;
  /** More segments are stored, contiguous with those reported before. */
  onStored: (partial: PartialRendition) => void;
  /** libav has requested bytes, so it is not hung. */
  onRead: () => void;
  /** The platform does not answer; the next attempt follows in `ms`. */
  onWait: (ms: number) => void;
}
