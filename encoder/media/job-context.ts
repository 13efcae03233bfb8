import type { PartialRendition } from "../../protocol/jobs.ts";

/** What a running job tells the process above it. */
export interface JobContext {
  /** @param fraction 0 to 1 @param speed media seconds per wall second, 0 = not known */
  onProgress: (fraction: number, speed: number) => void;
  /** More segments are safely stored; they follow on from those told before. */
  onStored: (partial: PartialRendition) => void;
  /** libav asked for bytes: it is alive. */
  onRead: () => void;
  /** The platform does not answer; the next try is in `ms`. */
  onWait: (ms: number) => void;
}
