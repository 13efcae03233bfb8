/**
 * A broadcaster: encodes a looped clip with a burnt-in clock and sends it in real time over RTMP, SRT or to any other address that libav can
 * write to. Runs as a separate process with its options as JSON in SLUICE_BROADCAST (see `ClockBroadcast`). Ends with SIGTERM.
 */
import {
  AV_FRAME_DATA_A53_CC,
  AV_PICTURE_TYPE_I,
  AV_PICTURE_TYPE_NONE,
  FF_ENCODER_AAC,
  FF_ENCODER_LIBX264,
} from "node-av/constants";
import { Decoder, Demuxer, Encoder, FilterAPI, Muxer } from "node-av/api";
import { type Frame, Log, type Packet } from "node-av/lib";
import { AV_LOG_ERROR } from "node-av/constants";
import { setTimeout as sleep } from "node:timers/promises";
import { popOn } from "./clock-captions.ts";
import { burnClock } from "./clock-face.ts";

export interface ClockBroadcast {
  clip: string;
  url: string;
  format: "flv" | "mpegts";
  widthPx: number;
  heightPx: number;
  frameRate: number;
  bitrateBps: number;
  /** Time between key frames. */
  keySeconds: number;
  /** Every second the picture carries a caption with the time of its clock. */
  hasCaptions?: boolean;
  /** Start of the captions, from the beginning of the broadcast. */
  captionsAfterSeconds?: number;
}

const SAMPLE_RATE_HZ = 48_000;
const AAC_SAMPLES = 1024;
/** The picture of every second with a caption. Not the first one, so that captions cross segments. */
const CAPTION_PICTURE = 7;

const orders = JSON.parse(process.env["SLUICE_BROADCAST"] ?? "{}") as ClockBroadcast;
const end = new AbortController();
process.on("SIGTERM", () => end.abort());
process.on("disconnect", () => end.abort());
Log.setLevel(AV_LOG_ERROR);

/** Filtered frames of one stream of the clip, looped. */
async function* looped(clip: string, kind: "video" | "audio", filterWords: string): AsyncGenerator<Frame> {
  await using input = await Demuxer.open(clip);
  const stream = kind === "video" ? input.video() : input.audio();
  if (stream === undefined) return;
  // Read once and kept in memory, because the library's reader busy-waits for its consumer.
  const packets: Packet[] = [];
  for await (const packet of input.packets(stream.index)) if (packet !== null) packets.push(packet.clone()!);
  for (;;) {
    using decoder = await Decoder.create(stream, { context: { threadCount: 1 } });
    using filter = FilterAPI.create(filterWords);
    for await (const frame of filter.frames(decoder.frames(again(packets)))) if (frame !== null) yield frame;
  }
}

async function* again(packets: Packet[]): AsyncGenerator<Packet | null> {
  for (const packet of packets) yield packet.clone();
  yield null;
}

const pictureFilter = ({ widthPx, heightPx, frameRate }: ClockBroadcast) =>
  `fps=${frameRate},scale=${widthPx}:${heightPx}:force_original_aspect_ratio=decrease:flags=fast_bilinear,pad=${widthPx}:${heightPx}:-1:-1,setsar=1,format=yuv420p`;
const SOUND_FILTER = `aresample=${SAMPLE_RATE_HZ},aformat=sample_fmts=fltp:channel_layouts=stereo,asetnsamples=n=${AAC_SAMPLES}:p=0`;

async function broadcast(): Promise<void> {
  const { url, format, frameRate, keySeconds, bitrateBps } = orders;
  using video = await Encoder.create(FF_ENCODER_LIBX264, {
    bitrate: bitrateBps,
    gopSize: Math.round(frameRate * keySeconds),
    maxBFrames: 0,
    options: {
      preset: "ultrafast",
      tune: "zerolatency",
      "x264-params": `keyint=${Math.round(frameRate * keySeconds)}:scenecut=0:force-cfr=1:threads=1`,
    },
  });
  using audio = await Encoder.create(FF_ENCODER_AAC, { bitrate: 128_000 });
  await using output = await Muxer.open(url, { format });
  const [pictureIndex, soundIndex] = [output.addStream(video), output.addStream(audio)];
  const picture = looped(orders.clip, "video", pictureFilter(orders));
  const sound = looped(orders.clip, "audio", SOUND_FILTER);
  // The first frames take some time, so the clock starts when they are available.
  let [nextPicture, nextSound] = [picture.next(), sound.next()];
  await Promise.all([nextPicture, nextSound]);
  const [beganAtMs, capturedAtMs] = [performance.now(), Date.now()];
  let soundSamples = 0;
  for (let number = 0; !end.signal.aborted; number += 1) {
    const dueMs = beganAtMs + (number * 1000) / frameRate;
    const waitMs = dueMs - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    const { value: frame } = await nextPicture;
    if (frame === undefined) break;
    nextPicture = picture.next();
    frame.makeWritable();
    const nowMs = Date.now();
    burnClock(
      { bytes: frame.data![0]!, strideBytes: frame.linesize[0]!, widthPx: frame.width, heightPx: frame.height },
      nowMs,
    );
    const mayHaveCaptions = orders.hasCaptions === true && number >= (orders.captionsAfterSeconds ?? 0) * frameRate;
    if (mayHaveCaptions && number % frameRate === CAPTION_PICTURE) {
      const words = popOn(new Date(nowMs).toISOString().slice(11, 23));
      words.copy(frame.newSideData(AV_FRAME_DATA_A53_CC, words.length));
    }
    frame.pts = BigInt(number);
    frame.pictType = number % Math.round(frameRate * keySeconds) === 0 ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    for (const packet of await video.encodeAll(frame)) {
      await output.writePacket(packet, pictureIndex);
      packet.free();
    }
    frame.free();
    while (soundSamples / SAMPLE_RATE_HZ <= (number + 1) / frameRate) {
      const { value: piece } = await nextSound;
      if (piece === undefined) break;
      nextSound = sound.next();
      piece.pts = BigInt(soundSamples);
      soundSamples += piece.nbSamples;
      for (const packet of await audio.encodeAll(piece)) {
        await output.writePacket(packet, soundIndex);
        packet.free();
      }
      piece.free();
    }
    if (number === 0) process.send?.({ on: "air", capturedAtMs });
  }
}

try {
  await broadcast();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
