/** Finds what is heard in a sound, and cuts it into pieces. Pure: samples in, samples of pieces out. */
import { SPEECH_KEPT_MS, type SpeechSpan } from "../../protocol/speech.ts";
import { FRAME_SECONDS, LoudnessGate } from "./loudness.ts";

/** A silence of this length is cut away, up to what is kept at its two ends. */
const SILENCE_SECONDS = 0.8;
const KEPT_SECONDS = SPEECH_KEPT_MS / 1000;
/** Where there is no pause, a piece ends at the least loud frame of its last seconds. */
const LOOK_BACK_SECONDS = 3;

export interface CutPiece {
  /** In order; ready when the piece is finished. */
  spans: SpeechSpan[];
  durationMs: number;
}

/** Receives the samples of one piece after another. */
export interface PieceSink {
  put: (samples: Float32Array) => void;
  end: (piece: CutPiece) => void;
}

interface Frame {
  samples: Float32Array;
  /** Its position in the media, in frames. */
  at: number;
  db: number;
}

export class SpeechCutter {
  readonly #rateHz: number;
  readonly #frameSamples: number;
  readonly #pieceFrames: { target: number; most: number };
  readonly #sink: PieceSink;
  #rest = new Float32Array(0);
  #count = 0; // frames that have been heard
  readonly #gate = new LoudnessGate();
  /** Frames of silence before a sound, the last of them. */
  #before: Frame[] = [];
  /** Silence behind a sound, which may turn out to be a pause. */
  #pause: Frame[] = [];
  #isSound = false;
  /** Of the piece: not given to the sink yet, for a cut at one of them. */
  #held: Frame[] = [];
  #spans: { at: number; media: number; frames: number }[] = [];
  #pieceLength = 0; // frames, with those that are held

  constructor(rateHz: number, { pieceMs, maxPieceMs }: { pieceMs: number; maxPieceMs: number }, sink: PieceSink) {
    this.#rateHz = rateHz;
    this.#frameSamples = Math.round(rateHz * FRAME_SECONDS);
    const frames = (ms: number) => Math.max(1, Math.round(ms / 1000 / FRAME_SECONDS));
    this.#pieceFrames = { target: Math.min(frames(pieceMs), frames(maxPieceMs)), most: frames(maxPieceMs) };
    this.#sink = sink;
  }

  /** Samples of one channel, one after another. */
  put(samples: Float32Array): void {
    const all = new Float32Array(this.#rest.length + samples.length);
    all.set(this.#rest);
    all.set(samples, this.#rest.length);
    let at = 0;
    for (; at + this.#frameSamples <= all.length; at += this.#frameSamples)
      this.#hear(all.slice(at, at + this.#frameSamples));
    this.#rest = all.slice(at);
  }

  /** @returns how long the whole sound is, ms */
  finish(): number {
    const whole = this.#count * this.#frameSamples + this.#rest.length;
    if (this.#rest.length > 0) {
      const last = new Float32Array(this.#frameSamples);
      last.set(this.#rest);
      this.#hear(last);
    }
    for (const frame of this.#pause.splice(0, framesOf(KEPT_SECONDS))) this.#keep(frame);
    this.#endPiece(this.#held.length);
    return (whole / this.#rateHz) * 1000;
  }

  #hear(samples: Float32Array): void {
    const { db, isLoud } = this.#gate.hear(samples);
    const frame = { samples, at: this.#count, db };
    this.#count += 1;
    if (isLoud) return this.#hearSound(frame);
    if (!this.#isSound) {
      this.#before.push(frame);
      if (this.#before.length > framesOf(KEPT_SECONDS)) this.#before.shift();
      return;
    }
    this.#pause.push(frame);
    if (this.#pause.length >= framesOf(SILENCE_SECONDS)) this.#endSound();
  }

  #hearSound(frame: Frame): void {
    for (const early of [...this.#before.splice(0), ...this.#pause.splice(0)]) this.#keep(early);
    this.#isSound = true;
    this.#keep(frame);
  }

  /** A silence was long enough. */
  #endSound(): void {
    this.#isSound = false;
    const kept = framesOf(KEPT_SECONDS);
    for (const frame of this.#pause.splice(0, kept)) this.#keep(frame);
    this.#before = this.#pause.splice(0).slice(-kept);
    if (this.#pieceLength >= this.#pieceFrames.target) this.#endPiece(this.#held.length);
  }

  #keep(frame: Frame): void {
    const last = this.#spans.at(-1);
    if (last !== undefined && last.media + last.frames === frame.at) last.frames += 1;
    else this.#spans.push({ at: this.#pieceLength, media: frame.at, frames: 1 });
    this.#held.push(frame);
    this.#pieceLength += 1;
    if (this.#pieceLength >= this.#pieceFrames.most) {
      const softest = this.#held.reduce((best, { db }, n) => (db <= this.#held[best]!.db ? n : best), 0);
      return this.#endPiece(softest + 1);
    }
    if (this.#held.length > framesOf(LOOK_BACK_SECONDS)) this.#sink.put(this.#held.shift()!.samples);
  }

  /** @param count of the held frames that are the last ones of the piece; the others begin the next one */
  #endPiece(count: number): void {
    for (const { samples } of this.#held.splice(0, count)) this.#sink.put(samples);
    const next = this.#held.splice(0);
    const length = this.#pieceLength - next.length;
    if (length > 0) {
      const ms = (frames: number) => Math.round(frames * FRAME_SECONDS * 1000);
      const spans = this.#spans
        .filter(({ at }) => at < length)
        .map(({ at, media, frames }): SpeechSpan => [ms(at), ms(media), ms(Math.min(frames, length - at))]);
      this.#sink.end({ spans, durationMs: ms(length) });
    }
    this.#spans = [];
    this.#pieceLength = 0;
    for (const frame of next) this.#keep(frame);
  }
}

const framesOf = (seconds: number): number => Math.round(seconds / FRAME_SECONDS);
