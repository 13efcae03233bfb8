/** Jobs that make text of speech (protocol/jobs.ts). Times are milliseconds. */
import { z } from "zod";
import { JobBase } from "./job-base.ts";

/** Rate of the sound that speech models hear, in mono. */
export const SPEECH_RATE_HZ = 16_000;
/** Of a silence that is cut away, this stays at both of its ends: models need it to hear where a word begins. */
export const SPEECH_KEPT_MS = 250;
/** Pieces of one media: 12 h in pieces of 30 s, which is the shortest window of a model. */
export const MAX_SPEECH_PIECES = 1440;
/** Sounds of a piece, each behind a silence that was cut away. */
const MAX_SPANS = 2000;

/**
 * Makes the sound of a media ready for a speech model: mono, at 16 kHz, without its silences, cut into pieces where nobody speaks. A piece is a FLAC file,
 * stored as `{rendition}/{number}.flac`. The sound is read from `{callbackUrl}/sound`.
 */
export const SpeechJob = JobBase.extend({
  kind: z.literal("speech"),
  rendition: z.string().regex(/^[a-z0-9-]+$/),
  /** A piece ends at the first pause behind this. */
  pieceMs: z.number().min(10_000),
  /** And here at the latest, where it is least loud. */
  maxPieceMs: z.number().max(600_000),
});
export type SpeechJob = z.infer<typeof SpeechJob>;

/** One sound of a piece: [start in the piece, start in the media, duration]. */
export const SpeechSpan = z.tuple([z.number().min(0), z.number().min(0), z.number().positive()]);
export type SpeechSpan = z.infer<typeof SpeechSpan>;

export const SpeechPiece = z.object({
  spans: z.array(SpeechSpan).min(1).max(MAX_SPANS),
  durationMs: z.number().positive(), // of the piece
  bytes: z.int().positive(),
});
export type SpeechPiece = z.infer<typeof SpeechPiece>;

export const SpeechResult = z.object({
  kind: z.literal("speech"),
  durationMs: z.number().min(0), // of the whole sound
  /** None = nothing is heard. */
  pieces: z.array(SpeechPiece).max(MAX_SPEECH_PIECES),
});
export type SpeechResult = z.infer<typeof SpeechResult>;

/** A language by its code of two or three letters (ISO 639). */
const Language = z.string().regex(/^[a-z]{2,3}$/);
/** Names and terms that a model should know. */
const MAX_PROMPT_LENGTH = 1000;

/** The words of one piece, by the encoder's own model. The piece is read from `{callbackUrl}/piece`. */
export const TranscribeJob = JobBase.extend({
  kind: z.literal("transcribe"),
  languageCode: Language.nullable(), // null = it is detected
  prompt: z.string().max(MAX_PROMPT_LENGTH),
});
export type TranscribeJob = z.infer<typeof TranscribeJob>;

/** [start, end, text, whether a space is before it]; times are those of the piece. */
export const SpokenWord = z.tuple([z.number(), z.number(), z.string().max(1000), z.boolean()]);
export type SpokenWord = z.infer<typeof SpokenWord>;

export const TranscribeResult = z.object({
  kind: z.literal("transcribe"),
  engine: z.string(), // "whisper.cpp"
  model: z.string(), // the name of its file, "ggml-base-q5_1"
  version: z.string().max(200).optional(), // of the engine and of the file, "0.0.4+422f1ae452ad"; earlier encoders do not say
  languageCode: Language,
  words: z.array(SpokenWord).max(20_000),
  transcribeMs: z.number(),
  cpuMs: z.number(),
});
export type TranscribeResult = z.infer<typeof TranscribeResult>;
