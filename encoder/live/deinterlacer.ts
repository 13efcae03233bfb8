/** Deinterlaces at the same frame rate, as for on-demand assets. Progressive frames pass unchanged; the filter delays by one picture. */
import type { Frame } from "node-av/lib";
import { AV_FRAME_FLAG_INTERLACED } from "node-av/constants";
import { PictureGraph } from "../media/picture-graph.ts";
import type { DecodedFrame } from "./stream-decoder.ts";

const FIELDS_TO_PICTURE = "[in]bwdif=mode=send_frame:deint=interlaced[out0]";
const TIME_BASE = { num: 1, den: 90_000 };

export class Deinterlacer {
  #graph: PictureGraph | undefined;
  /** Times of the pictures inside the filter. */
  #seconds: number[] = [];

  /** True once an interlaced frame has been received. */
  get isActive(): boolean {
    return this.#graph !== undefined;
  }

  /** Takes the frame. */
  async *put(decoded: DecodedFrame): AsyncGenerator<DecodedFrame> {
    const { frame, seconds } = decoded;
    if (this.#graph?.suits(frame) === false) yield* this.rest();
    if (this.#graph === undefined && !isInterlaced(frame)) return yield decoded;
    this.#graph ??= await PictureGraph.open(FIELDS_TO_PICTURE, 1, frame, TIME_BASE);
    this.#seconds.push(seconds);
    this.#graph.put(frame);
    frame.free();
    yield* this.#ready();
  }

  /** Drains the filter. */
  async *rest(): AsyncGenerator<DecodedFrame> {
    if (this.#graph === undefined) return;
    this.#graph.put(null);
    yield* this.#ready();
    this.close();
  }

  close(): void {
    this.#graph?.close();
    this.#graph = undefined;
    this.#seconds = [];
  }

  async *#ready(): AsyncGenerator<DecodedFrame> {
    for (let frame = await this.#graph!.take(0); frame !== null; frame = await this.#graph!.take(0))
      yield { frame, seconds: this.#seconds.shift()!, isDamaged: false };
  }
}

const isInterlaced = (frame: Frame) => frame.hasFlags(AV_FRAME_FLAG_INTERLACED);
