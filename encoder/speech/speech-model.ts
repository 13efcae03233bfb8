import { basename } from "node:path";
import type { SpokenWord } from "../../protocol/speech.ts";

/** One window of at most 30 s. */
export interface Hearing {
  samples: Float32Array;
  languageCode: string | null;
  prompt: string;
}

export interface Heard {
  /** ISO 639; "und" = the model does not say. */
  languageCode: string;
  /** Times are those of the window. */
  words: SpokenWord[];
}

export interface SpeechModel {
  engine: string;
  /** Of its file, without the extension. */
  name: string;
  /** Of the engine and of the file (`modelVersion`). */
  version: string;
  hear(window: Hearing): Promise<Heard>;
}

export const nameOf = (path: string): string => basename(path).replace(/\.bin$/, "");
