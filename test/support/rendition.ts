/** Decoded renditions: chunks are concatenated as by a player, then decoded. */
import { Decoder, Demuxer } from "node-av/api";
import { AV_SAMPLE_FMT_S16 } from "node-av/constants";
import type { Frame } from "node-av/lib";
import type { FrameGrid, RenditionFacts, VideoRung } from "../../protocol/jobs.ts";
import type { SourceAudio, SourceFacts } from "../../protocol/source-facts.ts";
import type { TestEncoder } from "./encoder.ts";

export interface DecodedPicture {
  timeSeconds: number;
  widthPx: number;
  heightPx: number;
  luma: Buffer;
  /** Its coded picture lacks something, which the decoder has filled in. */
  isDamaged: boolean;
}
export interface Rendition {
  facts: RenditionFacts[]; // one for each chunk
  bytes: Buffer; // init and every segment
}

/** Any even size; small, so that tests are quick. */
export function rungFor(widthPx: number, heightPx: number, name = "v"): VideoRung {
  return { name, widthPx, heightPx, crf: 16, maxBitrateBps: 8_000_000, preset: "veryfast" };
}

/** GOPs of one second, segments of one GOP: several chunks also from short sources. */
export function gridFor({ video }: SourceFacts): FrameGrid {
  const { frameRate } = video!;
  const framesPerGop = Math.round(frameRate.num / frameRate.den);
  return { frameRate, framesPerGop, framesPerSegment: framesPerGop };
}

/** Encodes in chunks of one segment until the source ends. */
export async function encodeInChunks(
  encoder: TestEncoder,
  path: string,
  facts: SourceFacts,
  rung: VideoRung,
  clip?: { startMs: number; endMs: number | null },
): Promise<Rendition & { frameCount: number; inits: Set<string> }> {
  const grid = gridFor(facts);
  const parts: Buffer[] = [];
  const all: RenditionFacts[] = [];
  const inits = new Set<string>();
  let frameCount = 0;
  for (let chunk = 0; ; chunk++) {
    const firstFrame = chunk * grid.framesPerSegment;
    const { result, desk } = await encoder.encodeVideo(path, {
      video: facts.video!,
      grid,
      firstFrame,
      frameCount: grid.framesPerSegment,
      firstSegment: chunk,
      rungs: [rung],
      ...(clip ? { clip } : {}),
    });
    const rendition = result.renditions[0]!;
    inits.add(rendition.init.sha256);
    all.push(rendition);
    if (chunk === 0) parts.push(desk.objects.get(`${rung.name}/init.mp4`)!);
    rendition.segments.forEach((_, i) => parts.push(desk.objects.get(`${rung.name}/${chunk + i}.m4s`)!));
    frameCount += result.frameCount;
    if (result.frameCount < grid.framesPerSegment)
      return { facts: all, bytes: Buffer.concat(parts), frameCount, inits };
  }
}

export async function encodeWholeSound(
  encoder: TestEncoder,
  path: string,
  audio: SourceAudio,
  durationMs: number | null,
): Promise<Rendition & { channels: number }> {
  const { result, desk } = await encoder.encodeAudio(path, {
    audio,
    rendition: "a",
    bitrateBps: 128_000,
    segmentSeconds: { num: 1, den: 1 },
    durationMs,
  });
  const bytes = Buffer.concat([
    desk.objects.get("a/init.mp4")!,
    ...result.rendition.segments.map((_, i) => desk.objects.get(`a/${i}.m4s`)!),
  ]);
  return { facts: [result.rendition], bytes, channels: result.channels };
}

/** Every picture, in display order. */
export async function decodePictures(bytes: Buffer): Promise<DecodedPicture[]> {
  await using demuxer = await Demuxer.open(bytes, { copyTs: true });
  const stream = demuxer.video()!;
  using decoder = await Decoder.create(stream);
  const pictures: DecodedPicture[] = [];
  for await (using frame of decoder.frames(demuxer.packets(stream.index))) {
    if (frame === null) break;
    const { width, height } = frame;
    const luma = Buffer.from(frame.toBuffer().subarray(0, width * height));
    pictures.push({
      timeSeconds: (Number(frame.pts) * stream.timeBase.num) / stream.timeBase.den,
      widthPx: width,
      heightPx: height,
      luma,
      isDamaged: frame.decodeErrorFlags !== 0,
    });
  }
  return pictures;
}

export interface DecodedSound {
  sampleRateHz: number;
  channels: number;
  startSeconds: number;
  /** The first channel, −1 to 1. */
  samples: Float32Array;
  /** All channels. */
  planes: Float32Array[];
  /** The largest gap between the end of a frame and the start of the next, in seconds; 0 = no gap. */
  largestHoleSeconds: number;
}

export async function decodeSound(bytes: Buffer): Promise<DecodedSound> {
  await using demuxer = await Demuxer.open(bytes, { copyTs: true });
  const stream = demuxer.audio()!;
  using decoder = await Decoder.create(stream);
  const parts: Float32Array[][] = [];
  let [start, next, hole, channels, sampleRateHz] = [Number.NaN, Number.NaN, 0, 0, 0];
  for await (using frame of decoder.frames(demuxer.packets(stream.index))) {
    if (frame === null) break;
    const time = (Number(frame.pts) * stream.timeBase.num) / stream.timeBase.den;
    if (Number.isNaN(start)) start = time;
    else hole = Math.max(hole, Math.abs(time - next));
    next = time + frame.nbSamples / frame.sampleRate;
    ({ channels, sampleRate: sampleRateHz } = frame);
    parts.push(frame.format === AV_SAMPLE_FMT_S16 && channels === 1 ? [integerSamples(frame)] : floatPlanes(frame));
  }
  const planes = Array.from({ length: channels }, (_, channel) => joined(parts.map((part) => part[channel]!)));
  return { sampleRateHz, channels, startSeconds: start, samples: planes[0]!, planes, largestHoleSeconds: hole };
}

function floatPlanes({ data, nbSamples, channels }: Frame): Float32Array[] {
  const bytes = nbSamples * Float32Array.BYTES_PER_ELEMENT;
  const copy = ({ buffer, byteOffset }: Buffer) => new Float32Array(buffer.slice(byteOffset, byteOffset + bytes));
  return data!.slice(0, channels).map(copy);
}

/** Of FLAC. */
const integerSamples = ({ data, nbSamples }: Frame): Float32Array =>
  Float32Array.from({ length: nbSamples }, (_, n) => data![0]!.readInt16LE(2 * n) / 32_768);

function joined(parts: Float32Array[]): Float32Array {
  const samples = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (samples.set(part, at), at + part.length), 0);
  return samples;
}

/** Root mean square between two times. */
export function loudness({ samples, sampleRateHz }: DecodedSound, fromSeconds: number, toSeconds: number): number {
  const part = samples.subarray(Math.round(fromSeconds * sampleRateHz), Math.round(toSeconds * sampleRateHz));
  return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / Math.max(1, part.length));
}

/** Luma PSNR in dB of two pictures of equal size. */
export function psnr(a: Buffer, b: Buffer): number {
  let squares = 0;
  for (let i = 0; i < a.length; i++) squares += (a[i]! - b[i]!) ** 2;
  return squares === 0 ? 100 : 10 * Math.log10((255 * 255 * a.length) / squares);
}
