/** One live H.264 encoder: no B-frames, no look-ahead, a key frame every second and at every segment start. */
import { type LiveGrid, PICTURE_TIMESCALE } from "./live-grid.ts";
import { type CodecContext, type Frame, Packet } from "node-av/lib";
import { AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_NONE } from "node-av/constants";
import { JobError } from "../platform/errors.ts";
import { initSegment } from "../../protocol/media/cmaf.ts";
import { codecOf, type H264Codec, withoutSettingsSei } from "../media/h264.ts";
import type { ColorMatrix } from "../media/scale-graph.ts";
import { configurationOf, openX264 } from "../media/x264.ts";
import type { VideoRung } from "../../protocol/jobs.ts";
import type { InitFacts } from "./output.ts";
import type { PartCutter } from "./part-cutter.ts";
import type { SegmentGrid } from "./segment-grid.ts";

/** Slice threads, because every frame thread would add one picture of delay. */
const LARGE_PIXELS = 1280 * 720;
export const threadsFor = ({ widthPx, heightPx }: VideoRung) => (widthPx * heightPx >= LARGE_PIXELS ? 2 : 1);

/** Kept small because a viewer at the live edge has at most one second buffered. */
const BUFFER_SECONDS = 0.5;

/** Peak bitrate of any segment: the maximum rate plus the entire VBV buffer. */
export const peakBitrateBps = ({ maxBitrateBps }: VideoRung, segmentMs: number): number =>
  Math.ceil(maxBitrateBps * (1 + (1000 * BUFFER_SECONDS) / segmentMs));

/** VBV buffer of the short first segment, which keeps it within the same peak bitrate. */
const SHORT_BUFFER_SECONDS = 0.25;

const bufferBits = ({ maxBitrateBps }: VideoRung, seconds: number): number => Math.round(maxBitrateBps * seconds);

interface EncoderStart {
  /** Profile and level to match when the rung replaces or precedes a copied source; otherwise null. */
  codec: H264Codec | null;
  /** The run begins with a divided segment. */
  isFirstShort: boolean;
  /** `seq_parameter_set_id` and `pic_parameter_set_id`; must differ from those of a source in the same track. */
  parameterSetId?: number;
}

/** x264 options. Pure. */
export function liveEncoderOptions(
  rung: VideoRung,
  { framesPerGop }: LiveGrid,
  { codec, isFirstShort, parameterSetId = 0 }: EncoderStart,
): Record<string, string | number> {
  return {
    preset: "veryfast",
    profile: codec?.profile ?? "high",
    ...(codec === null ? {} : { level: codec.level }),
    crf: rung.crf,
    maxrate: rung.maxBitrateBps,
    bufsize: bufferBits(rung, isFirstShort ? SHORT_BUFFER_SECONDS : BUFFER_SECONDS),
    g: framesPerGop,
    keyint_min: framesPerGop,
    sc_threshold: 0,
    bf: 0,
    forced_idr: 1,
    // Captions are renditions. Inside the picture they would be broken by frames that are repeated or left out.
    a53cc: 0,
    "x264-params": `annexb=0:open-gop=0:scenecut=0:repeat-headers=0:force-cfr=1:rc-lookahead=0:sync-lookahead=0:mbtree=0:sliced-threads=1:sps-id=${parameterSetId}`,
  };
}

export class LiveRung {
  readonly rung: VideoRung;
  readonly avcConfig: Buffer;
  readonly init: { bytes: Buffer; facts: InitFacts };
  readonly #framesPerGop: number;
  readonly #cutsAt: SegmentGrid;
  readonly #context: CodecContext;
  readonly #cutter: PartCutter;
  readonly #packet = new Packet();
  readonly #firstFrame: number;

  private constructor(
    rung: VideoRung,
    { framesPerGop, frameRate }: LiveGrid,
    cutsAt: SegmentGrid,
    colorMatrix: ColorMatrix,
    context: CodecContext,
    cutter: PartCutter,
    firstFrame: number,
  ) {
    this.#firstFrame = firstFrame;
    this.rung = rung;
    this.#framesPerGop = framesPerGop;
    this.#cutsAt = cutsAt;
    this.#context = context;
    this.#cutter = cutter;
    this.#packet.alloc();
    const avcConfig = configurationOf(context);
    this.avcConfig = avcConfig;
    const { widthPx, heightPx } = rung;
    const timescale = PICTURE_TIMESCALE;
    this.init = {
      bytes: initSegment({ kind: "video", timescale, widthPx, heightPx, colorMatrix, avcConfig }),
      facts: { codec: codecOf(avcConfig), widthPx, heightPx, timescale, frameRate },
    };
  }

  /** @param firstFrame the first unpublished frame, in a run that another encoder started */
  static async open(
    rung: VideoRung,
    grid: LiveGrid,
    cutsAt: SegmentGrid,
    matrix: ColorMatrix,
    cutter: PartCutter,
    options: Record<string, string | number>,
    firstFrame = 0,
  ): Promise<LiveRung> {
    const { widthPx, heightPx } = rung;
    const context = await openX264({
      widthPx,
      heightPx,
      frameRate: grid.frameRate,
      colorMatrix: matrix,
      threads: threadsFor(rung),
      options,
    });
    return new LiveRung(rung, grid, cutsAt, matrix, context, cutter, firstFrame);
  }

  /** Number of complete segments. */
  get segments(): number {
    return this.#cutter.segments;
  }

  /** @param frame its pts is the run's output frame number; null flushes the encoder without ending the last segment */
  async encode(frame: Frame | null): Promise<void> {
    if (frame !== null) {
      const number = Number(frame.pts);
      if (number < this.#firstFrame) return;
      if (number >= this.#cutsAt.start(this.#cutsAt.firstUndivided))
        this.#context.rcBufferSize = bufferBits(this.rung, BUFFER_SECONDS);
      const isKey = number === this.#firstFrame || this.#cutsAt.intoSegment(number) % this.#framesPerGop === 0;
      frame.pictType = isKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE; // ignore the source's key frames
    }
    const sent = await this.#context.sendFrame(frame);
    if (sent < 0) throw new JobError("encoder_failed", `The H.264 encoder refused a picture (${sent}).`);
    // Sending a picture encodes it; receiving only collects packets, except when flushing.
    for (;;) {
      const received =
        frame === null
          ? await this.#context.receivePacket(this.#packet)
          : this.#context.receivePacketSync(this.#packet);
      if (received < 0) break;
      const data = this.#packet.data ?? Buffer.alloc(0);
      const { isKeyframe } = this.#packet;
      this.#cutter.add(isKeyframe ? withoutSettingsSei(data) : Buffer.from(data), isKeyframe);
      this.#packet.unref();
    }
  }

  /** Flushes the encoder and ends its last segment. */
  async finish(): Promise<void> {
    await this.encode(null);
    this.#cutter.finish();
  }

  close(): void {
    this.#packet.free();
    this.#context.freeContext();
  }
}
