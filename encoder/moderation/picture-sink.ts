import type { Frame } from "node-av/lib";
import type { PicturesResult } from "../../protocol/pictures.ts";

/** Receives the chosen pictures of a media in their order. */
export interface PictureSink {
  /** @param frame stays the caller's */
  put(frame: Frame): Promise<void>;
  finish(): Promise<SinkResult>;
  close(): void;
}

/** `scores`: one for each picture, or none. */
export type SinkResult = Pick<PicturesResult, "engine" | "model" | "judgeMs"> & { scores: readonly number[] };
