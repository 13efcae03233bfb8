/** One stream's decoder over the life of a broadcast: opened when it is needed, emptied when time jumps. */
import { type CodecContext, Frame, type Stream } from "node-av";
import { AVERROR_EAGAIN, AVERROR_EOF, AV_NOPTS_VALUE } from "node-av/constants";
import { openDecoder } from "../media/decode.ts";
import type { TimedPacket } from "./live-source.ts";

const MAX_FAILURES_IN_A_ROW = 32;
/** Without a key frame for so long the source has none; its decoder may do what it can. */
const KEY_PATIENCE_SECONDS = 5;
/** Pictures of up to Full HD come out of one thread at once; more threads each hold one back. */
const ONE_THREAD_PIXELS = 1920 * 1088;
const MORE_THREADS = 4;

export interface DecodedFrame {
  frame: Frame; // the receiver's
  seconds: number; // in the source's own time
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

  /** A packet of another stream than this one's, or of another codec in the same one (a new PMT): empty it with `rest` first. */
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

  /** What the decoder still holds; then it is closed, and the next packet opens a new one. */
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
    this.#sawKey ||= isKey || seconds - this.#firstSeconds! > KEY_PATIENCE_SECONDS;
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
        yield { frame, seconds };
        continue;
      }
      frame.free();
      if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return;
      failures++; // one damaged frame; the next call goes on behind it
    }
  }
}
