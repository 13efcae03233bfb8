/** The `speech` job: the sound of a media for a speech model, without its silences, in pieces. */
import {
  SPEECH_RATE_HZ,
  MAX_SPEECH_PIECES,
  type SpeechJob,
  type SpeechPiece,
  type SpeechResult,
} from "../../protocol/speech.ts";
import { convertedSound } from "../media/converted-sound.ts";
import { decodedSound, planesOf } from "../media/decoded-sound.ts";
import type { JobContext } from "../media/job-context.ts";
import { openSource } from "../media/source.ts";
import { Store } from "../media/store.ts";
import { JobError } from "../platform/errors.ts";
import { FlacFile } from "./flac-file.ts";
import { type CutPiece, SpeechCutter } from "./speech-cutter.ts";

/** Samples of a piece, or its end, in the order of the sound. */
type Cut = Float32Array | CutPiece;

export async function prepareSpeech(job: SpeechJob, context: JobContext): Promise<SpeechResult> {
  const store = new Store(job, context.onWait);
  const source = await openSource(job, context, { path: "sound" });
  const [stream] = source.audio;
  if (stream === undefined) throw new JobError("source_no_streams", "The media has no sound.");
  const cuts: Cut[] = [];
  const cutter = new SpeechCutter(SPEECH_RATE_HZ, job, {
    put: (samples) => cuts.push(samples),
    end: (piece) => cuts.push(piece),
  });
  const writer = new PieceWriter(job, store);
  const output = { sampleRateHz: SPEECH_RATE_HZ, channels: 1 };
  const expectedSeconds = Math.max(1, Number(source.format.duration) / 1e6);
  const startedMs = performance.now();
  for await (const frame of convertedSound(decodedSound(source, stream.index, 0), output)) {
    const seconds = Number(frame.pts) / SPEECH_RATE_HZ;
    cutter.put(planesOf(frame)[0]!);
    frame.free();
    await writer.write(cuts.splice(0));
    const elapsedSeconds = (performance.now() - startedMs) / 1000;
    context.onProgress(Math.min(1, seconds / expectedSeconds), seconds / elapsedSeconds);
  }
  const durationMs = cutter.finish();
  await writer.write(cuts.splice(0));
  await source.format.closeInput();
  await store.flushed();
  return { kind: "speech", durationMs, pieces: writer.pieces };
}

class PieceWriter {
  readonly pieces: SpeechPiece[] = [];
  readonly #job: SpeechJob;
  readonly #store: Store;
  #file: FlacFile | null = null;

  constructor(job: SpeechJob, store: Store) {
    this.#job = job;
    this.#store = store;
  }

  async write(cuts: readonly Cut[]): Promise<void> {
    for (const cut of cuts) {
      if (cut instanceof Float32Array) {
        this.#file ??= await FlacFile.open(SPEECH_RATE_HZ);
        this.#file.put(cut);
        continue;
      }
      if (this.pieces.length === MAX_SPEECH_PIECES)
        throw new JobError("source_exceeds_limits", `The sound has more than ${MAX_SPEECH_PIECES} pieces.`);
      const bytes = this.#file!.finish();
      this.#file = null;
      this.#store.put(this.#job.rendition, `${this.pieces.length}.flac`, bytes);
      this.pieces.push({ ...cut, bytes: bytes.length });
      await this.#store.settled();
    }
  }
}
