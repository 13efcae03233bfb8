/** What a run is made of: its formats, its start in the source, and the run that it continues. Types only. */
import type { Frame } from "node-av/lib";
import type { VideoRung } from "../../protocol/jobs.ts";
import type { H264Codec } from "../media/h264.ts";
import type { Orientation } from "../media/orientation.ts";
import type { BroadcastSound } from "./broadcast-sounds.ts";
import type { Copy } from "./copied-rung.ts";
import type { LiveGrid } from "./live-grid.ts";
import type { BroadcastPlan } from "./output.ts";
import type { Continuation } from "./run-state.ts";

export interface RunPicture extends Orientation {
  grid: LiveGrid;
  /** Encoded rungs, largest first; at least one. */
  rungs: VideoRung[];
  like: Frame;
  /** The top rung, if it may be copied from the source. */
  copy: Copy | null;
  /** Profile and level of rungs that were copied earlier, by name; they are encoded to match. */
  codecs: ReadonlyMap<string, H264Codec>;
}

export interface RunPlan {
  settings: BroadcastPlan["settings"];
  /** Source time of its first picture, or of its first sound without a picture. */
  zeroSeconds: number;
  picture: RunPicture | null;
  sounds: readonly BroadcastSound[];
  /** Maximum distance in the source between picture and sound of the same time. */
  interleaveSeconds: number;
  /** How much later than its picture a sound may arrive now before it is replaced by silence, in seconds. @param name of its rendition */
  delaySeconds: (name: string) => number;
  capturedAtMs: (sourceSeconds: number) => number;
  /** Divide the first segment to shorten the startup delay. Copying then starts at the first undivided segment. */
  isFirstShort: boolean;
  /** Set when another encoder started this run. */
  continues: Continuation | null;
}
