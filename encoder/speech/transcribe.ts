/** The `transcribe` job: the words of one piece of speech. */
import { SPEECH_RATE_HZ, type SpokenWord, type TranscribeJob, type TranscribeResult } from "../../protocol/speech.ts";
import { convertedSound } from "../media/converted-sound.ts";
import { decodedSound, planesOf } from "../media/decoded-sound.ts";
import type { JobContext } from "../media/job-context.ts";
import { openSource } from "../media/source.ts";
import { JobError } from "../platform/errors.ts";
import { anchorSentences } from "./anchor-sentences.ts";
import { loudFrames } from "./loudness.ts";
import { snapWords } from "./snap-words.ts";
import { SpeechCutter } from "./speech-cutter.ts";
import { openSpeechModel } from "./whisper-model.ts";

/** A whole piece at once: the model finds better borders for its windows of 30 s than pauses are, and goes on in its words and its spelling. */
const WHOLE = { pieceMs: Infinity, maxPieceMs: Infinity };
/** With a vocabulary, which the model forgets after some windows. */
const STRETCH = { pieceMs: 80_000, maxPieceMs: 120_000 };
/** Of every second attempt: a model that has repeated itself is to hear other windows, each by itself. */
const ONE_WINDOW = { pieceMs: 13_000, maxPieceMs: 19_000 };

/** The end of the stretch before. The model also goes on with its repetitions. */
const CONTEXT_CHARACTERS = 200;

export async function transcribe(job: TranscribeJob, context: JobContext): Promise<TranscribeResult> {
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const model = await openSpeechModel();
  const isOther = job.attempt % 2 === 0;
  const length = isOther ? ONE_WINDOW : job.prompt === "" ? WHOLE : STRETCH;
  const stretches = stretchesOf(await readPiece(job, context), length);
  const whole = stretches.reduce((sum, { samples }) => sum + samples.length, 0) / SPEECH_RATE_HZ;
  const words: SpokenWord[] = [];
  let { languageCode } = job;
  let heardSeconds = 0;
  let before = "";
  for (const { samples, startMs } of stretches) {
    const heard = await model.hear({ samples, languageCode, prompt: `${job.prompt} ${before}`.trim() });
    const text = heard.words.map((word) => word[2]).join(" ");
    before = isOther ? "" : text.slice(-CONTEXT_CHARACTERS);
    languageCode ??= heard.languageCode; // one language in a piece
    words.push(
      ...inSound(heard.words, samples).map(([start, end, text, hasSpace]): SpokenWord => [
        startMs + start,
        startMs + end,
        text,
        hasSpace,
      ]),
    );
    heardSeconds += samples.length / SPEECH_RATE_HZ;
    context.onProgress(heardSeconds / whole, heardSeconds / ((performance.now() - startedMs) / 1000));
  }
  const { user, system } = process.cpuUsage(cpu);
  return {
    kind: "transcribe",
    engine: model.engine,
    model: model.name,
    version: model.version,
    languageCode: languageCode ?? "und",
    words,
    transcribeMs: performance.now() - startedMs,
    cpuMs: (user + system) / 1000,
  };
}

/** Words where they are heard: the model's own times are not exact. */
function inSound(words: readonly SpokenWord[], samples: Float32Array): SpokenWord[] {
  const isLoud = loudFrames(samples, SPEECH_RATE_HZ);
  const endMs = (samples.length / SPEECH_RATE_HZ) * 1000;
  const within = words.map(([start, end, ...text]): SpokenWord => [
    Math.min(start, endMs),
    Math.min(end, endMs),
    ...text,
  ]);
  return snapWords(anchorSentences(within, isLoud), isLoud);
}

interface Stretch {
  samples: Float32Array;
  /** In the piece. */
  startMs: number;
}

/** From the first sound of each to its last; the pauses in them stay. */
function stretchesOf(samples: Float32Array, length: typeof STRETCH): Stretch[] {
  const stretches: Stretch[] = [];
  const cutter = new SpeechCutter(SPEECH_RATE_HZ, length, {
    put: () => {},
    end: ({ spans }) => {
      const [first, last] = [spans[0]!, spans.at(-1)!];
      const at = (ms: number) => Math.round((ms / 1000) * SPEECH_RATE_HZ);
      stretches.push({ samples: samples.subarray(at(first[1]), at(last[1] + last[2])), startMs: first[1] });
    },
  });
  cutter.put(samples);
  cutter.finish();
  return stretches;
}

async function readPiece(job: TranscribeJob, context: JobContext): Promise<Float32Array> {
  const source = await openSource(job, context, { path: "piece" });
  const [stream] = source.audio;
  if (stream === undefined) throw new JobError("source_damaged", "The piece has no sound.");
  const planes: Float32Array[] = [];
  const format = { sampleRateHz: SPEECH_RATE_HZ, channels: 1 };
  for await (const frame of convertedSound(decodedSound(source, stream.index, 0), format)) {
    planes.push(planesOf(frame)[0]!);
    frame.free();
  }
  await source.format.closeInput();
  const samples = new Float32Array(planes.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const plane of planes) {
    samples.set(plane, at);
    at += plane.length;
  }
  return samples;
}
