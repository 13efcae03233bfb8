/** The owner's speech model: a file of ggml's format at WHISPER_MODEL. */
import { basename } from "node:path";
import { Worker } from "node:worker_threads";
import { availableParallelism } from "node:os";
import type { SpokenWord } from "../../protocol/speech.ts";
import { JobError } from "../platform/errors.ts";

export interface Heard {
  languageCode: string;
  words: SpokenWord[];
}

export interface Hearing {
  samples: Float32Array;
  languageCode: string | null;
  prompt: string;
}

/** What the thread is started with. */
export interface WhisperOrder extends Hearing {
  modelPath: string;
  threads: number;
}
export type WhisperReport = { type: "progress"; share: number } | ({ type: "heard" } & Heard);

const MISSING =
  "The encoder has no speech model. Set WHISPER_MODEL to a file in ggml's format (`npx sluice whisper get base` fetches one), or configure a provider (docs/guides/ai.md).";

/** @throws {JobError} speech_no_model */
export function modelPath(): string {
  const path = process.env["WHISPER_MODEL"] ?? "";
  if (path === "") throw new JobError("speech_no_model", MISSING);
  return path;
}

export const modelName = (path: string): string => basename(path).replace(/\.bin$/, "");

/**
 * Hears words in a thread of its own, because the model blocks the one it runs in.
 *
 * @throws {JobError} speech_no_model, encoder_failed
 */
export async function hear(hearing: Hearing, onProgress: (share: number) => void): Promise<Heard> {
  // Its threads spin while they wait for each other: beside a video job, as many as there are processors would take minutes for each window.
  const threads = Math.max(1, availableParallelism() - 1);
  const order: WhisperOrder = { ...hearing, modelPath: modelPath(), threads };
  const thread = new Worker(new URL("./whisper-thread.ts", import.meta.url), { workerData: order });
  try {
    return await new Promise<Heard>((resolve, reject) => {
      thread.on("message", (report: WhisperReport) =>
        report.type === "progress" ? onProgress(report.share) : resolve(report),
      );
      thread.once("error", (cause) =>
        reject(new JobError("speech_no_model", `The speech model cannot be used: ${cause.message}`, { cause })),
      );
      thread.once("exit", () => reject(new JobError("encoder_failed", "The speech model stopped without a result.")));
    });
  } finally {
    await thread.terminate();
  }
}
