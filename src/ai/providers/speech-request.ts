export interface SpeechRequest {
  /** A FLAC file. */
  bytes: Uint8Array<ArrayBuffer>;
  durationMs: number;
  /** ISO 639. Null = the provider detects it. */
  languageCode: string | null;
  /** Names and terms; "" = none. */
  prompt: string;
  /** The model has repeated itself: it is to hear the same in another way. */
  isRepeat?: boolean;
}
