/** The owner's speech model: a file in ggml's format at WHISPER_MODEL. */
import { access } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import type { Whisper, WhisperFullParams } from "@napi-rs/whisper";
import type { SpokenWord } from "../../protocol/speech.ts";
import { JobError } from "../platform/errors.ts";

export interface Hearing {
  samples: Float32Array;
  languageCode: string | null;
  prompt: string;
}

/** The model's times are in units of 10 ms. */
const TICK_MS = 10;
/** Scripts whose words have no spaces between them. */
const NO_SPACES =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Turns of the event loop until all words have come. */
const MOST_TURNS = 100;
const bare = (text: string): string => text.replaceAll(/\s/g, "");

const GET_ONE = "Set WHISPER_MODEL to a file in ggml's format.";

export class WhisperModel {
  /** Of its file, without the extension. */
  readonly name: string;
  readonly #library: typeof import("@napi-rs/whisper");
  readonly #model: Whisper;

  private constructor(path: string, library: typeof import("@napi-rs/whisper"), model: Whisper) {
    this.name = basename(path).replace(/\.bin$/, "");
    this.#library = library;
    this.#model = model;
  }

  /** @throws {JobError} speech_no_model */
  static async open(path = process.env["WHISPER_MODEL"] ?? ""): Promise<WhisperModel> {
    if (path === "") throw new JobError("speech_no_model", `The encoder has no speech model. ${GET_ONE}`);
    await access(path).catch((cause: unknown) => {
      throw new JobError("speech_no_model", `The encoder cannot read its speech model. ${GET_ONE}`, { cause });
    });
    try {
      const library = await import("@napi-rs/whisper");
      return new WhisperModel(path, library, new library.Whisper(path, { useGpu: false }));
    } catch (cause) {
      throw new JobError("speech_no_model", `The encoder cannot load its speech model. ${GET_ONE}`, { cause });
    }
  }

  /**
   * The words of one window of at most 30 s. It blocks the process, which runs this job alone; words arrive by the event loop afterwards.
   */
  async hear({ samples, languageCode, prompt }: Hearing): Promise<{ languageCode: string; words: SpokenWord[] }> {
    const words: SpokenWord[] = [];
    const params = this.#params();
    params.language = languageCode ?? "auto";
    params.initialPrompt = prompt;
    params.onNewSegment = ({ start, end, text }) => {
      const trimmed = text.trim();
      if (trimmed !== "") words.push([start * TICK_MS, end * TICK_MS, trimmed, !NO_SPACES.test(trimmed)]);
    };
    const text = bare(this.#model.full(params, samples));
    // The words come by the event loop, behind what it has to do at the time.
    for (let turn = 0; turn < MOST_TURNS && bare(words.map(([, , word]) => word).join("")) !== text; turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
    return { languageCode: this.#library.Whisper.lang(this.#model.fullLangId) ?? "und", words };
  }

  #params(): WhisperFullParams {
    const params = new this.#library.WhisperFullParams(this.#library.WhisperSamplingStrategy.Greedy);
    // Its threads spin while they wait for each other: beside a video job, as many as there are processors would take minutes for each window.
    params.nThreads = Math.max(1, availableParallelism() - 1);
    // Each segment is one word.
    params.tokenTimestamps = true;
    params.splitOnWord = true;
    params.maxLen = 1;
    // What was heard before leads the model to say it again.
    params.noContext = true;
    params.suppressNonSpeechTokens = true;
    params.printProgress = false;
    params.printRealtime = false;
    params.printTimestamps = false;
    params.printSpecial = false;
    return params;
  }
}
