/** A libav filter graph that converts decoded sound to frames of one format. */
import { type FilterContext, FilterGraph, Frame, avChannelLayoutDescribe, avGetSampleFmtName } from "node-av/lib";
import { AVERROR_EAGAIN, AVERROR_EOF, AV_BUFFERSRC_FLAG_KEEP_REF } from "node-av/constants";
import type { AVSampleFormat } from "node-av/constants";
import { JobError } from "../platform/errors.ts";

export class SoundGraph {
  readonly #graph: FilterGraph;
  readonly #source: FilterContext;
  readonly #sink: FilterContext;

  private constructor(graph: FilterGraph, source: FilterContext, sink: FilterContext) {
    this.#graph = graph;
    this.#source = source;
    this.#sink = sink;
  }

  /** Input times are in samples of the input's rate. */
  static async open(filters: string, like: Frame): Promise<SoundGraph> {
    const graph = new FilterGraph();
    graph.alloc();
    const format = avGetSampleFmtName(like.format as AVSampleFormat);
    const layout = avChannelLayoutDescribe(like.channelLayout);
    const source = `abuffer@in=time_base=1/${like.sampleRate}:sample_rate=${like.sampleRate}:sample_fmt=${format}:channel_layout=${layout}`;
    const parsed = graph.parsePtr(`${source},${filters},abuffersink@out`);
    const configured = parsed < 0 ? parsed : await graph.config();
    if (configured < 0)
      throw new JobError("source_damaged", `The source's sound has no usable format (${format}, ${layout}).`);
    return new SoundGraph(graph, graph.getFilter("abuffer@in")!, graph.getFilter("abuffersink@out")!);
  }

  /** @param frame owned by the caller; null ends the input */
  put(frame: Frame | null): void {
    const result = this.#source.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_KEEP_REF);
    if (result < 0 && result !== AVERROR_EOF)
      throw new JobError("encoder_failed", `Sound was refused by the filters (${result}).`);
  }

  /** Yields the available frames; the receiver owns them. */
  async *take(): AsyncGenerator<Frame> {
    for (;;) {
      const frame = new Frame();
      frame.alloc();
      const result = await this.#sink.buffersinkGetFrame(frame);
      if (result >= 0) {
        yield frame;
        continue;
      }
      frame.free();
      if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return;
      throw new JobError("encoder_failed", `The sound's filters failed (${result}).`);
    }
  }

  /** Yields the frames that are ready, at once: for filters that cost less than a thread's turn. The receiver owns them. */
  *ready(): Generator<Frame> {
    for (;;) {
      const frame = new Frame();
      frame.alloc();
      const result = this.#sink.buffersinkGetFrameSync(frame);
      if (result >= 0) {
        yield frame;
        continue;
      }
      frame.free();
      if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return;
      throw new JobError("encoder_failed", `The sound's filters failed (${result}).`);
    }
  }

  /** Ends the input and yields what the filters have held back. */
  *rest(): Generator<Frame> {
    this.put(null);
    yield* this.ready();
  }

  close(): void {
    this.#graph.free();
  }
}
