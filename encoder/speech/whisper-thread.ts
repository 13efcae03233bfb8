/** The thread in which the speech model runs. */
import { parentPort, workerData } from "node:worker_threads";
import { setupLogger, Whisper, WhisperFullParams, WhisperSamplingStrategy } from "@napi-rs/whisper";
import type { SpokenWord } from "../../protocol/speech.ts";
import type { WhisperOrder, WhisperReport } from "./whisper-model.ts";

/** The model's times are in units of 10 ms. */
const TICK_MS = 10;

const { modelPath, samples, languageCode, prompt, threads } = workerData as WhisperOrder;
const report = (message: WhisperReport) => parentPort!.postMessage(message);

setupLogger(() => {});
const model = new Whisper(modelPath, { useGpu: false });
const params = new WhisperFullParams(WhisperSamplingStrategy.Greedy);
params.nThreads = threads;
params.language = languageCode ?? "auto";
params.initialPrompt = prompt;
// Each segment is one word.
params.tokenTimestamps = true;
params.splitOnWord = true;
params.maxLen = 1;
// What was heard before leads the model to say it again.
params.noContext = true;
params.suppressNonSpeechTokens = true;
for (const print of ["printProgress", "printRealtime", "printTimestamps", "printSpecial"] as const)
  params[print] = false;

const words: SpokenWord[] = [];
params.onNewSegment = ({ start, end, text }) => {
  const trimmed = text.trim();
  if (trimmed !== "") words.push([start * TICK_MS, end * TICK_MS, trimmed, /^\s/.test(text)]);
};
params.onProgress = (percent) => report({ type: "progress", share: percent / 100 });
model.full(params, samples);
report({ type: "heard", languageCode: Whisper.lang(model.fullLangId) ?? "und", words });
