/** `node hear-whole.ts FILE`: what Whisper makes of a file at once, for comparisons. A process of its own, because the model blocks it. */
import { readFile } from "node:fs/promises";
import { Whisper, WhisperFullParams, WhisperSamplingStrategy } from "@napi-rs/whisper";

const wave = await readFile(process.argv[2]!);
const at = wave.indexOf("data") + 8;
const samples = Float32Array.from(
  { length: Math.floor((wave.length - at) / 2) },
  (_, n) => wave.readInt16LE(at + 2 * n) / 32_768,
);
const params = new WhisperFullParams(WhisperSamplingStrategy.Greedy);
params.language = "en";
params.printProgress = false;
params.printRealtime = false;
params.printTimestamps = false;
const startedMs = performance.now();
const text = new Whisper(process.env["WHISPER_MODEL"]!, { useGpu: false }).full(params, samples);
console.log(JSON.stringify({ text, tookMs: performance.now() - startedMs }));
process.exit(0);
