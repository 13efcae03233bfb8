/** Decides whether the source's H.264 can be copied as the top rung, and buffers its access units until their pictures are decoded. */
import type { Frame, Stream } from "node-av/lib";
import {
  AVCOL_RANGE_JPEG,
  AV_CODEC_ID_H264,
  AV_FRAME_FLAG_INTERLACED,
  AV_NOPTS_VALUE,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  AV_PKT_DATA_NEW_EXTRADATA,
} from "node-av/constants";
import { type AvcStream, type AvcUnit, avcConfigOf, avcStreamOf, avcUnitOf } from "../media/avc-units.ts";
import { codecLike } from "../media/h264.ts";
import { unusedParameterSetId } from "../../protocol/media/h264/avc-record.ts";
import { ticksToSeconds } from "../media/source.ts";
import type { VideoRung } from "../../protocol/jobs.ts";
import type { Fraction } from "../../protocol/source-facts.ts";
import type { Copy } from "./copied-rung.ts";
import { LivePicker } from "./live-picker.ts";
import { peakBitrateBps } from "./live-rung.ts";
import type { TimedPacket } from "./live-source.ts";

/** Maximum bitrate of a copied rung relative to an encoded one: hardware encoders need more bits. */
const BITRATE_ALLOWANCE = 1.5;
/** Peak relative to the declared bitrate, which is an average. */
const PEAK_FACTOR = 1.25;
/** Maximum access units whose pictures have not been decoded yet. */
const MAX_WAITING = 32;

interface WaitingUnit extends AvcUnit {
  seconds: number;
}

export class SourceCopy {
  readonly parameterSets: Pick<Copy, "avcConfig" | "leadParameterSetId">;
  readonly #stream: Stream;
  readonly #avc: AvcStream;
  #waiting: WaitingUnit[] = [];
  /** Permanent: from here on the source is encoded. */
  isOver = false;

  private constructor(stream: Stream, avc: AvcStream, parameterSets: SourceCopy["parameterSets"]) {
    this.#stream = stream;
    this.#avc = avc;
    this.parameterSets = parameterSets;
  }

  /** Null when not every player supports the stream. @param times of its first pictures, in seconds */
  static of(stream: Stream, times: number[], rate: Fraction): SourceCopy | null {
    const { codecId, extradata, format, colorRange, videoDelay } = stream.codecpar;
    if (codecId !== AV_CODEC_ID_H264 || videoDelay > 0 || !areOnGrid(times, rate)) return null;
    if ((format !== AV_PIX_FMT_YUV420P && format !== AV_PIX_FMT_YUVJ420P) || colorRange === AVCOL_RANGE_JPEG)
      return null;
    const avc = avcStreamOf(extradata);
    if (avc === null || !isPlayedEverywhere(avc)) return null;
    const avcConfig = avcConfigOf(avc);
    const leadParameterSetId = unusedParameterSetId(avcConfig);
    return leadParameterSetId === null ? null : new SourceCopy(stream, avc, { avcConfig, leadParameterSetId });
  }

  /** Whether a rung has exactly the picture's size and the source can still be copied. */
  suits(picture: Frame, { widthPx, heightPx }: VideoRung): boolean {
    const { num, den } = picture.sampleAspectRatio;
    const isSquare = num === den || num === 0;
    const isProgressive = !picture.hasFlags(AV_FRAME_FLAG_INTERLACED);
    return !this.isOver && isSquare && isProgressive && picture.width === widthPx && picture.height === heightPx;
  }

  /**
   * Announced bitrate in bits per second, which the copied rung must not exceed; null when the declared bitrate is above the limit. Not
   * less than the encoder's peak, since the encoder produces the start of the rung.
   */
  bitrateFor(rung: VideoRung, segmentMs: number): number | null {
    const declared = PEAK_FACTOR * Number(this.#stream.codecpar.bitRate);
    const most = BITRATE_ALLOWANCE * rung.maxBitrateBps;
    if (declared > most) return null;
    return declared > 0 ? Math.round(Math.max(declared, peakBitrateBps(rung, segmentMs))) : most;
  }

  /** Called with every picture packet before it is decoded. */
  put({ packet, stream }: TimedPacket): void {
    if (this.isOver) return;
    const settings = packet.getSideData(AV_PKT_DATA_NEW_EXTRADATA);
    const isSame = stream.index === this.#stream.index && (settings === null || this.#isSame(settings));
    const unit =
      isSame && packet.pts !== AV_NOPTS_VALUE && packet.pts === packet.dts && packet.data !== null
        ? avcUnitOf(packet.data, this.#avc)
        : null;
    if (unit === null) this.end();
    else this.#waiting.push({ ...unit, seconds: ticksToSeconds(packet.pts, stream) });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** The access unit of the picture with this time; null when it is unknown or depends on a unit without a picture. */
  take(seconds: number): AvcUnit | null {
    const at = this.#waiting.findIndex((unit) => unit.seconds >= seconds);
    const passed = this.#waiting.splice(0, at < 0 ? this.#waiting.length : at);
    if (this.#waiting[0]?.seconds !== seconds) return null;
    const unit = this.#waiting.shift()!;
    return passed.length === 0 || unit.isIdr ? unit : null;
  }

  /** Discards buffered units because the source timeline restarts. */
  forget(): void {
    this.#waiting = [];
  }

  end(): void {
    this.isOver = true;
    this.#waiting = [];
  }

  #isSame(settings: Buffer): boolean {
    const found = avcStreamOf(settings);
    return (
      found !== null &&
      avcConfigOf(found).equals(this.parameterSets.avcConfig) &&
      found.lengthBytes === this.#avc.lengthBytes
    );
  }
}

/** Limited to profiles that the encoder also produces, so that `CODECS` stays valid when encoding replaces the copy (RFC 8216bis §4.4.6.2). */
const isPlayedEverywhere = ({ sps }: AvcStream): boolean => codecLike(sps) !== null;

/** Whether there is exactly one picture per frame of the rate. Pure. @param times ascending */
function areOnGrid(times: number[], rate: Fraction): boolean {
  const picker = new LivePicker(rate);
  return times.length >= 2 && times.every((time) => picker.isNext(time - times[0]!) && picker.place(time - times[0]!));
}
