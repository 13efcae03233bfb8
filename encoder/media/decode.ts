/** Decodes one stream. */
import { CodecContext, Dictionary, Frame, Packet, type Stream } from "node-av/lib";
import { AVERROR_EAGAIN, AVERROR_EOF, AVMEDIA_TYPE_AUDIO } from "node-av/constants";
import { JobError } from "../platform/errors.ts";
import { CODEC_WHITELIST, decoderOf } from "./codecs.ts";
import { readPacket } from "./packets.ts";
import type { OpenSource } from "./source.ts";

const MAX_FAILURES_IN_A_ROW = 32;
const MAX_PIXELS = 7680 * 4320 * 1.1; // coded sizes slightly exceed the displayed size

/** @param threads 0 = one per processor */
export async function openDecoder(stream: Stream, threads: number): Promise<CodecContext> {
  const codec = decoderOf(stream);
  if (codec === null) throw new JobError("source_damaged", "The source's codec is not supported.");
  const context = new CodecContext();
  context.allocContext3(codec);
  context.parametersToContext(stream.codecpar);
  context.pktTimebase = stream.timeBase;
  context.threadCount = threads;
  using options = Dictionary.fromObject({ max_pixels: Math.floor(MAX_PIXELS), codec_whitelist: CODEC_WHITELIST });
  const opened = await context.open2(codec, options);
  if (opened < 0) throw new JobError("source_damaged", "The source's codec settings are damaged.");
  return context;
}

interface Decoding {
  /** Returns false for packets to withhold from the decoder. */
  accepts?: (packet: Packet) => boolean;
  /** Without a thread of its own for each packet: sound and small pictures take less time to decode than a thread would take to begin. */
  isAtOnce?: boolean;
}

/**
 * Yields the stream's frames from the demuxer's position to the end, in presentation order. Skips damaged packets. The receiver owns every
 * frame.
 */
export async function* decodedFrames(
  source: OpenSource,
  stream: Stream,
  decoder: CodecContext,
  { accepts = () => true, isAtOnce = stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO }: Decoding = {},
): AsyncGenerator<Frame> {
  using packet = new Packet();
  packet.alloc();
  for (let atEnd = false; !atEnd;) {
    atEnd = !(await readPacket(source, packet));
    if (!atEnd && (packet.streamIndex !== stream.index || !accepts(packet))) {
      packet.unref();
      continue;
    }
    for (let sent = false; !sent;) {
      const given = atEnd ? null : packet;
      const result = isAtOnce ? decoder.sendPacketSync(given) : await decoder.sendPacket(given);
      sent = result !== AVERROR_EAGAIN;
      yield* receivedFrames(decoder, isAtOnce);
    }
    packet.unref();
  }
}

/** Yields the frames that the decoder has ready; the receiver owns every frame. @param atOnce without a thread of its own */
export async function* receivedFrames(decoder: CodecContext, atOnce = false): AsyncGenerator<Frame> {
  for (let failures = 0; failures < MAX_FAILURES_IN_A_ROW;) {
    const frame = new Frame();
    frame.alloc();
    const result = atOnce ? decoder.receiveFrameSync(frame) : await decoder.receiveFrame(frame);
    if (result >= 0) {
      failures = 0;
      yield frame;
      continue;
    }
    frame.free();
    if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return;
    failures++; // one damaged frame; the next call continues after it
  }
}
