/** Scales single frames by a filter graph. */
import type { Frame } from "node-av/lib";
import { PictureGraph } from "../media/picture-graph.ts";
import { JobError } from "../platform/errors.ts";

/** Keeps its graph while the frames have the same format. */
export class Scaler {
  readonly #filters: string;
  #graph: PictureGraph | null = null;

  /** @param filters libav's chain of filters, which gives a picture for each picture */
  constructor(filters: string) {
    this.#filters = `[in]${filters}[out0]`;
  }

  /** @returns a frame of the caller's */
  async scale(frame: Frame): Promise<Frame> {
    if (this.#graph?.suits(frame) === false) this.close();
    this.#graph ??= await PictureGraph.open(this.#filters, 1, frame, { num: 1, den: 1_000_000 });
    this.#graph.put(frame);
    const scaled = await this.#graph.take(0);
    if (scaled === null) throw new JobError("encoder_failed", "A picture was not scaled.");
    return scaled;
  }

  close(): void {
    this.#graph?.close();
    this.#graph = null;
  }
}
