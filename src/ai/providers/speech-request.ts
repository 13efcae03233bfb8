import type { Transcription } from "./read-transcription.ts";

/** A FLAC file. It is opened for each call, because a server may be asked in several ways. */
export interface SpeechSound {
  bytes: number;
  open: () => Promise<ReadableStream<Uint8Array>>;
}

/** What a provider has heard. */
export interface SpeechAnswer extends Transcription {
  /** Of the model; null = the provider does not say. */
  version: string | null;
}

export interface SpeechRequest {
  sound: SpeechSound;
  durationMs: number;
  /** ISO 639. Null = the provider detects it. */
  languageCode: string | null;
  /** Names and terms; "" = none. */
  prompt: string;
  /** The model has repeated itself: it is to hear the same in another way. */
  isRepeat?: boolean;
}
