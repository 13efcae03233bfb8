/** A libav filter graph with one or more outputs. Each input picture yields exactly one picture per output, with a delay when deinterlacing. */
import { avGetPixFmtName, type FilterContext, FilterGraph, Frame } from "node-av/lib";
import { AVERROR_EAGAIN, AVERROR_EOF, AV_BUFFERSRC_FLAG_KEEP_REF } from "node-av/constants";
import type { AVPixelFormat } from "node-av/constants";
import { JobError } from "../platform/errors.ts";

export class PictureGraph {
  readonly #graph: FilterGraph;
  readonly #source: FilterContext;
  readonly #sinks: FilterContext[];
  /** Picture format the graph was built for; another format needs another graph. */
  readonly #kind: string;

  private constructor(graph: FilterGraph, source: FilterContext, sinks: FilterContext[], kind: string) {
    this.#graph = graph;
    this.#source = source;
    this.#sinks = sinks;
    this.#kind = kind;
  }

  /**
   * @param description libav's graph syntax, from "[in]", and "[mark0]", "[mark1]", … for each further picture, to "[out0]", "[out1]", …
   * @param marks single pictures that are there throughout; owned by the caller
   */
  static async open(
    description: string,
    outputs: number,
    like: Frame,
    timeBase: { num: number; den: number },
    marks: readonly Frame[] = [],
  ): Promise<PictureGraph> {
    const graph = new FilterGraph();
    graph.alloc();
    const sources = [like, ...marks].map((frame, n) => bufferOf(frame, n === 0 ? "in" : `mark${n - 1}`, timeBase));
    const sinks = Array.from({ length: outputs }, (_, i) => `[out${i}]buffersink@out${i}`);
    const parsed = graph.parsePtr([...sources, description, ...sinks].join(";"));
    const configured = parsed < 0 ? parsed : await graph.config();
    if (configured < 0)
      throw new JobError("encoder_failed", `The picture's filters could not be set up (${configured}).`);
    const filter = (name: string) => graph.getFilter(name)!;
    for (const [n, mark] of marks.entries())
      for (const frame of [mark, null])
        filter(`buffer@mark${n}`).buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_KEEP_REF);
    return new PictureGraph(
      graph,
      filter("buffer@in"),
      sinks.map((_, i) => filter(`buffersink@out${i}`)),
      kindOf(like),
    );
  }

  suits(frame: Frame): boolean {
    return kindOf(frame) === this.#kind;
  }

  get timeBase() {
    return this.#sinks[0]!.buffersinkGetTimeBase();
  }

  /** Adds a picture, owned by the caller; null ends the input. */
  put(frame: Frame | null): void {
    const result = this.#source.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_KEEP_REF);
    if (result < 0) throw new JobError("encoder_failed", `A picture was refused by the filters (${result}).`);
  }

  /** Returns an output's next picture, now owned by the caller; null when there is none yet, or at the end. */
  async take(output: number): Promise<Frame | null> {
    const frame = new Frame();
    frame.alloc();
    const result = await this.#sinks[output]!.buffersinkGetFrame(frame);
    if (result >= 0) return frame;
    frame.free();
    if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return null;
    throw new JobError("encoder_failed", `The picture's filters failed (${result}).`);
  }

  close(): void {
    this.#graph.free();
  }
}

function bufferOf(frame: Frame, name: string, timeBase: { num: number; den: number }): string {
  const { num, den } = frame.sampleAspectRatio;
  const facts = [
    `buffer@${name}=video_size=${frame.width}x${frame.height}`,
    `pix_fmt=${avGetPixFmtName(frame.format as AVPixelFormat)}`,
    `time_base=${timeBase.num}/${timeBase.den}`,
    `pixel_aspect=${num > 0 && den > 0 ? `${num}/${den}` : "0/1"}`,
    `colorspace=${frame.colorSpace}`,
    `range=${frame.colorRange}`,
  ];
  return `${facts.join(":")}[${name}]`;
}

function kindOf({ width, height, format, colorSpace, colorRange, sampleAspectRatio: { num, den } }: Frame): string {
  return [width, height, format, colorSpace, colorRange, num, den].join();
}
