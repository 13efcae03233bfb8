/**
 * The owner's speech model, run by FFmpeg's `whisper` filter: where the faster library has no binary. It is about fifteen times slower, and gives times to
 * segments alone.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { spreadText } from "../../protocol/media/spread-text.ts";
import { SPEECH_RATE_HZ, type SpokenWord } from "../../protocol/speech.ts";
import { soundFrame } from "../media/converted-sound.ts";
import { SoundGraph } from "../media/sound-graph.ts";
import { JobError } from "../platform/errors.ts";
import { type Heard, type Hearing, nameOf, type SpeechModel } from "./speech-model.ts";

/** The filter hears what it has collected at the end of its input, or when it has this much. */
const QUEUE_SECONDS = 30;
/** A line of the filter's JSON: milliseconds. */
const Segment = z.object({ start: z.number(), end: z.number(), text: z.string() });

export class FilterModel implements SpeechModel {
  readonly engine = "ffmpeg-whisper";
  readonly name: string;
  readonly version: string;
  readonly #path: string;

  constructor(path: string, version: string) {
    this.#path = path;
    this.version = version;
    this.name = nameOf(path);
  }

  /** @throws {JobError} speech_no_model, when libav has no such filter or cannot load the model */
  async hear({ samples, languageCode }: Hearing): Promise<Heard> {
    const folder = await mkdtemp(join(tmpdir(), "sluice-speech-"));
    try {
      const output = join(folder, "heard.json");
      await this.#run(samples, languageCode ?? "auto", output);
      const lines = (await readFile(output, "utf8")).split("\n").filter((line) => line.trim() !== "");
      const words = lines.flatMap((line) => {
        const { start, end, text } = Segment.parse(JSON.parse(line));
        return spreadText(text, start, end).map((word): SpokenWord => [
          word.startMs,
          word.endMs,
          word.text,
          word.hasSpace,
        ]);
      });
      return { languageCode: languageCode ?? "und", words };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #run(samples: Float32Array, language: string, output: string): Promise<void> {
    const frame = soundFrame([samples], SPEECH_RATE_HZ);
    const options = `model='${this.#path}':language=${language}:queue=${QUEUE_SECONDS}:use_gpu=0:format=json:destination='${output}'`;
    let graph: SoundGraph | undefined;
    try {
      graph = await SoundGraph.open(`aformat=sample_fmts=flt,whisper=${options}`, frame);
    } catch (cause) {
      throw new JobError("speech_no_model", "The encoder cannot load its speech model with FFmpeg.", { cause });
    }
    try {
      graph.put(frame);
      for (const ready of graph.ready()) ready.free();
      for (const rest of graph.rest()) rest.free();
    } finally {
      frame.free();
      graph.close();
    }
  }
}
