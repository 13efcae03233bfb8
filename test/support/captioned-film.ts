/**
 * Broadcast-like MPEG-TS: a clip whose pictures carry caption words, and a stream of teletext beside it. The packets are those of the clip, with
 * an SEI message or user data inserted, in the order of display.
 */
import { Dictionary, FFmpegError, FormatContext, Packet, Rational, type Stream } from "node-av/lib";
import {
  AV_CODEC_ID_DVB_TELETEXT,
  AV_CODEC_ID_EIA_608,
  AV_CODEC_ID_H264,
  AV_CODEC_ID_HEVC,
  AV_CODEC_ID_MPEG2VIDEO,
  type AVCodecID,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
} from "node-av/constants";
import type { CcCodec } from "../../protocol/media/captions/cc-data.ts";
import { FLOWER, x264 } from "./ffmpeg-words.ts";
import { madeFile } from "./made.ts";
import { type CaptionScript, pictureTriplets, type TeletextScript } from "./caption-script.ts";
import { annexB, atscUserData, h264Sei, hevcSei, triplet, type Word } from "./cc-writer.ts";

const CODECS: [AVCodecID, CcCodec][] = [
  [AV_CODEC_ID_H264, "h264"],
  [AV_CODEC_ID_HEVC, "hevc"],
  [AV_CODEC_ID_MPEG2VIDEO, "mpeg2video"],
];

export interface Scripts {
  captions?: CaptionScript;
  teletext?: TeletextScript;
}

/** @param input a file of one picture in H.264, HEVC or MPEG-2 with start codes, such as MPEG-TS @param path of the MPEG-TS to write */
export async function writeCaptioned(input: string, path: string, { captions, teletext }: Scripts): Promise<void> {
  const { format: source, packets } = await read(input);
  const video = source.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)!;
  const codec = CODECS.find(([id]) => id === video.codecpar.codecId)![1];
  const times = packets
    .filter(({ streamIndex }) => streamIndex === video.index)
    .map(({ pts }) => pts)
    .toSorted((a, b) => Number(a - b));
  const frames = new Map(times.map((pts, frame) => [pts, frame]));
  const output = new FormatContext();
  FFmpegError.throwIfError(output.allocOutputContext2(null, "mpegts", path), "muxer");
  const copies = new Map(
    source.streams.map((from) => {
      const to = output.newStream();
      FFmpegError.throwIfError(from.codecpar.copy(to.codecpar), "parameters");
      to.codecpar.codecTag = 0;
      return [from.index, { from, to }] as const;
    }),
  );
  const pages = teletext && teletextStream(output, teletext);
  FFmpegError.throwIfError(await output.openOutput(), "output");
  FFmpegError.throwIfError(await output.writeHeader(null), "header");
  const waiting = [...(teletext?.pes ?? [])];
  const firstMs = (Number(times[0]) * 1000 * video.timeBase.num) / video.timeBase.den;
  for (const packet of packets) {
    const { from, to } = copies.get(packet.streamIndex)!;
    if (from.index === video.index) {
      const atMs = (Number(packet.dts) * 1000 * video.timeBase.num) / video.timeBase.den - firstMs;
      while ((waiting[0]?.[0] ?? Infinity) <= atMs) await writePes(output, pages!, firstMs, waiting.shift()!);
      if (captions !== undefined) {
        const { pts, dts, duration, flags } = packet;
        packet.data = withCaptions(codec, packet.data!, pictureTriplets(captions, frames.get(pts)!));
        Object.assign(packet, { pts, dts, duration, flags }); // which are reset with the data
      }
    }
    packet.rescaleTs(from.timeBase, to.timeBase);
    packet.streamIndex = to.index;
    packet.pos = -1n;
    FFmpegError.throwIfError(await output.interleavedWriteFrame(packet), "packet");
    packet.free();
  }
  FFmpegError.throwIfError(await output.writeTrailer(), "trailer");
  await output.closeOutput();
  output.freeContext();
  await source.closeInput();
}

async function read(path: string): Promise<{ format: FormatContext; packets: Packet[] }> {
  const format = new FormatContext();
  FFmpegError.throwIfError(await format.openInput(path), "open");
  FFmpegError.throwIfError(await format.findStreamInfo(null), "streams");
  const packets: Packet[] = [];
  for (;;) {
    const packet = new Packet();
    packet.alloc();
    if ((await format.readFrame(packet)) < 0) return { format, packets };
    packets.push(packet);
  }
}

/** Before the first slice. */
function withCaptions(codec: CcCodec, unit: Buffer, triplets: number[][]): Buffer {
  const message = { h264: h264Sei, hevc: hevcSei, mpeg2video: (all: number[][]) => [0xb2, ...atscUserData(all)] }[
    codec
  ];
  for (let at = unit.indexOf(START_CODE); at >= 0; at = unit.indexOf(START_CODE, at + 3)) {
    if (!isSlice(codec, unit[at + 3]!)) continue;
    return Buffer.concat([unit.subarray(0, at), annexB(message(triplets)).subarray(1), unit.subarray(at)]);
  }
  throw new Error("a packet without a slice");
}
const START_CODE = Buffer.from([0, 0, 1]);

function isSlice(codec: CcCodec, byte: number): boolean {
  if (codec === "h264") return (byte & 0x1f) >= 1 && (byte & 0x1f) <= 5;
  return codec === "hevc" ? byte >> 1 < 32 : byte >= 0x01 && byte <= 0xaf;
}

function teletextStream(output: FormatContext, { entries }: TeletextScript): Stream {
  const stream = output.newStream();
  stream.timeBase = new Rational(1, 90_000);
  stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE;
  stream.codecpar.codecId = AV_CODEC_ID_DVB_TELETEXT;
  stream.codecpar.extradata = Buffer.from(
    entries.flatMap(([type, page]) => [(type << 3) | (Number(page[0]) & 7), Number.parseInt(page.slice(1), 16)]),
  );
  stream.metadata = Dictionary.fromObject({ language: entries.map(([, , language]) => language).join(",") });
  return stream;
}

async function writePes(
  output: FormatContext,
  stream: Stream,
  firstMs: number,
  [atMs, data]: [number, Uint8Array],
): Promise<void> {
  using packet = new Packet();
  packet.alloc();
  packet.data = Buffer.from(data);
  packet.pts = BigInt(Math.round((firstMs + atMs) * 90));
  packet.dts = packet.pts;
  packet.streamIndex = stream.index;
  packet.rescaleTs({ num: 1, den: 90_000 }, stream.timeBase);
  FFmpegError.throwIfError(await output.interleavedWriteFrame(packet), "teletext");
}

/** A clip of 320×180 with B-frames, at 30000/1001 pictures a second, with captions. @param path of the MPEG-TS to write */
export async function captionedFilm(path: string, seconds: number, scripts: Scripts): Promise<void> {
  const picture = ["-vf", "scale=320:180", ...x264("-bf", "3", "-g", "60")];
  const clip = await madeFile(
    ["-stream_loop", "-1", "-i", FLOWER, "-t", String(seconds), ...picture, "-c:a", "aac", "-b:a", "64k"],
    "ts",
  );
  await writeCaptioned(clip, path, scripts);
}

/** A QuickTime file with one track of caption words (`c608`), a word of field 1 for each time of a frame. */
export async function writeWordTrack(path: string, words: Word[]): Promise<void> {
  const frame = new Rational(1001, 30_000);
  const output = new FormatContext();
  FFmpegError.throwIfError(output.allocOutputContext2(null, "mov", path), "muxer");
  const stream = output.newStream();
  stream.timeBase = frame;
  stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE;
  stream.codecpar.codecId = AV_CODEC_ID_EIA_608;
  stream.codecpar.codecTag = "c608";
  FFmpegError.throwIfError(await output.openOutput(), "output");
  FFmpegError.throwIfError(await output.writeHeader(null), "header");
  for (const [n, word] of words.entries()) {
    using packet = new Packet();
    packet.alloc();
    packet.data = Buffer.from(triplet(0, word));
    packet.pts = BigInt(n);
    packet.dts = packet.pts;
    packet.duration = 1n;
    packet.streamIndex = 0;
    packet.rescaleTs(frame, stream.timeBase);
    FFmpegError.throwIfError(await output.interleavedWriteFrame(packet), "words");
  }
  FFmpegError.throwIfError(await output.writeTrailer(), "trailer");
  await output.closeOutput();
}
