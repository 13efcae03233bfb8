/** Decodes one stream for the duration of a broadcast. The decoder is opened on demand and drained at timestamp jumps. */
import { type CodecContext, Frame, type Stream } from "node-av/lib";
import { AVERROR_EAGAIN, AVERROR_EOF, AV_NOPTS_VALUE } from "node-av/constants";
import { openDecoder } from "../media/decode.ts";
import type { TimedPacket } from "./live-source.ts";

const MAX_FAILURES_IN_A_ROW = 32;
/** After this time without a key frame, packets are decoded anyway. */
const KEY_FRAME_TIMEOUT_SECONDS = 5;
/** Up to Full HD one thread suffices; each additional thread adds one picture of delay. */
const ONE_THREAD_PIXELS = 1920 * 1088;
const MORE_THREADS = 4;

export interface DecodedFrame {
  frame: Frame; // owned by the receiver
  seconds: number; // source time
  /** Parts of the picture were missing, and the decoder has filled them in. Its packet is not playable everywhere. */
  isDamaged: boolean;
}

export class StreamDecoder {
  #decoder: CodecContext | undefined;
  #stream: Stream | undefined;
  #codecId = 0;
  #sawKey = false;
  #firstSeconds: number | undefined;
  #lastSeconds = 0;

  get isOpen(): boolean {
    return this.#decoder !== undefined;
  }

  /** False for a packet of another stream, or of another codec in the same stream (a new PMT). Drain with `rest` before decoding it. */
  isFor(stream: Stream): boolean {
    return (
      this.#stream === undefined || (this.#stream.index === stream.index && this.#codecId === stream.codecpar.codecId)
    );
  }

  async *decode({ packet, stream, kind, decodeSeconds }: TimedPacket): AsyncGenerator<DecodedFrame> {
    this.#firstSeconds ??= decodeSeconds;
    if (kind === "video" && !this.#accepts(packet.isKeyframe, decodeSeconds)) return;
    if (this.#decoder === undefined) {
      const pixels = stream.codecpar.width * stream.codecpar.height;
      this.#decoder = await openDecoder(stream, pixels > ONE_THREAD_PIXELS ? MORE_THREADS : 1);
      this.#stream = stream;
      this.#codecId = stream.codecpar.codecId;
    }
    for (let sent = false; !sent;) {
      sent = (await this.#decoder.sendPacket(packet)) !== AVERROR_EAGAIN;
      yield* this.#received();
    }
  }

  /** Drains and closes the decoder. The next packet opens a new one. */
  async *rest(): AsyncGenerator<DecodedFrame> {
    if (this.#decoder !== undefined) {
      await this.#decoder.sendPacket(null);
      yield* this.#received();
    }
    this.close();
  }

  close(): void {
    this.#decoder?.freeContext();
    this.#decoder = undefined;
    this.#stream = undefined;
    this.#sawKey = false;
    this.#firstSeconds = undefined;
  }

  #accepts(isKey: boolean, seconds: number): boolean {
    this.#sawKey ||= isKey || seconds - this.#firstSeconds! > KEY_FRAME_TIMEOUT_SECONDS;
    return this.#sawKey;
  }

  async *#received(): AsyncGenerator<DecodedFrame> {
    const { num, den } = this.#stream!.timeBase;
    for (let failures = 0; failures < MAX_FAILURES_IN_A_ROW;) {
      const frame = new Frame();
      frame.alloc();
      const result = await this.#decoder!.receiveFrame(frame);
      if (result >= 0) {
        failures = 0;
        const pts = frame.bestEffortTimestamp;
        const seconds = pts === AV_NOPTS_VALUE ? this.#lastSeconds : (Number(pts) * num) / den;
        this.#lastSeconds = seconds + (frame.nbSamples > 0 ? frame.nbSamples / frame.sampleRate : 0);
        yield { frame, seconds, isDamaged: frame.decodeErrorFlags !== 0 };
        continue;
      }
      frame.free();
      if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return;
      failures++; // one damaged frame; the next call continues after it
    }
  }
}
