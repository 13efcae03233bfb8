/** Remuxes a broadcast (FLV, MPEG-TS, fragmented MP4) to FLV without re-encoding. */
import { Dictionary, FFmpegError, FormatContext, IOContext, Packet, type Stream } from "node-av/lib";
import {
  AV_CODEC_ID_AAC,
  AV_CODEC_ID_AV1,
  AV_CODEC_ID_H264,
  AV_CODEC_ID_HEVC,
  AV_CODEC_ID_MP3,
  AV_CODEC_ID_VP9,
  AVFMT_FLAG_CUSTOM_IO,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
} from "node-av/constants";
import { CODEC_WHITELIST } from "../../media/codecs.ts";
import { StreamReader } from "../../live/stream-reader.ts";

const CONTAINERS = "flv,live_flv,mpegts,mov,mp4";
const LOOK_MICROSECONDS = 1_000_000;
const LOOK_BYTES = 4 << 20;
const IO_BUFFER_BYTES = 1 << 15;
/** Supported codecs; all but H.264 require enhanced RTMP. */
const PICTURES = [AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_VP9] as const;
const SOUNDS = [AV_CODEC_ID_AAC, AV_CODEC_ID_MP3] as const;

/** RTMP cannot carry this source. */
export class UnsupportedSource extends Error {}

export interface FlvSink {
  /** Called before the first byte. */
  onStreams(has: { picture: boolean }): void;
  onBytes(bytes: Buffer): void;
}

/** @throws {UnsupportedSource}, or {FFmpegError} when the input is not media */
export async function remuxToFlv(bytes: AsyncIterable<Uint8Array>, sink: FlvSink): Promise<void> {
  const input = new FormatContext();
  input.allocContext();
  input.pb = new StreamReader(bytes).open();
  input.setFlags(AVFMT_FLAG_CUSTOM_IO);
  using options = Dictionary.fromObject({
    format_whitelist: CONTAINERS,
    codec_whitelist: CODEC_WHITELIST,
    protocol_whitelist: "none",
    probesize: LOOK_BYTES,
    analyzeduration: LOOK_MICROSECONDS,
  });
  FFmpegError.throwIfError(await input.openInput("", null, options), "open");
  FFmpegError.throwIfError(await input.findStreamInfo(null), "streams");
  const streams = chosen(input.streams ?? []);

  const output = new FormatContext();
  FFmpegError.throwIfError(output.allocOutputContext2(null, "flv", null), "muxer");
  const io = new IOContext();
  io.allocContextWithCallbacks(IO_BUFFER_BYTES, 1, null, (written) => sink.onBytes(written), null);
  output.pb = io;
  output.setFlags(AVFMT_FLAG_CUSTOM_IO);
  const copies = new Map<number, { from: Stream; to: Stream }>();
  for (const from of streams) {
    const to = output.newStream();
    FFmpegError.throwIfError(from.codecpar.copy(to.codecpar), "parameters");
    to.codecpar.codecTag = 0;
    copies.set(from.index, { from, to });
  }
  sink.onStreams({ picture: streams.some(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO) });
  using muxing = Dictionary.fromObject({
    flvflags: "no_duration_filesize",
    flush_packets: "1",
    avoid_negative_ts: "make_zero",
  });
  FFmpegError.throwIfError(await output.writeHeader(muxing), "header");
  for (;;) {
    using packet = new Packet();
    packet.alloc();
    if ((await input.readFrame(packet)) < 0) break;
    const copy = copies.get(packet.streamIndex);
    if (copy === undefined) continue;
    packet.rescaleTs(copy.from.timeBase, copy.to.timeBase);
    packet.streamIndex = copy.to.index;
    packet.pos = -1n;
    await output.interleavedWriteFrame(packet); // a packet the muxer rejects is skipped
  }
  await output.writeTrailer();
}

/** Selects the first video and the first audio stream. @throws {UnsupportedSource} */
function chosen(streams: Stream[]): Stream[] {
  const first = (type: number) => streams.find(({ codecpar }) => codecpar.codecType === type);
  const [picture, sound] = [first(AVMEDIA_TYPE_VIDEO), first(AVMEDIA_TYPE_AUDIO)];
  if (picture !== undefined && !PICTURES.some((id) => id === picture.codecpar.codecId))
    throw new UnsupportedSource("RTMP cannot carry the broadcast's picture.");
  if (sound !== undefined && !SOUNDS.some((id) => id === sound.codecpar.codecId))
    throw new UnsupportedSource("RTMP targets take AAC and MP3 sound only.");
  return [picture, sound].filter((stream) => stream !== undefined);
}
