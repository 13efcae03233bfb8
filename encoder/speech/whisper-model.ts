/** The owner's speech model: a file in ggml's format at WHISPER_MODEL. */
import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import type * as Library from "@napi-rs/whisper";
import { getFFmpegInfo } from "node-av/lib";
import { z } from "zod";
import { hasNoSpaces } from "../../protocol/media/spread-text.ts";
import type { SpokenWord } from "../../protocol/speech.ts";
import { JobError } from "../platform/errors.ts";
import { type Heard, type Hearing, nameOf, type SpeechModel } from "./speech-model.ts";
import { FilterModel } from "./filter-model.ts";
import { modelVersion } from "./model-version.ts";

/** The model's times are in units of 10 ms. */
const TICK_MS = 10;

/** Turns of the event loop until all words have come. */
const MOST_TURNS = 100;
const bare = (text: string): string => text.replaceAll(/\s/g, "");

const GET_ONE = "Set WHISPER_MODEL to a file in ggml's format.";

/** @throws {JobError} speech_no_model */
export async function openSpeechModel(path = process.env["WHISPER_MODEL"] ?? ""): Promise<SpeechModel> {
  if (path === "") throw new JobError("speech_no_model", `The encoder has no speech model. ${GET_ONE}`);
  await access(path).catch((cause: unknown) => {
    throw new JobError("speech_no_model", `The encoder cannot read its speech model. ${GET_ONE}`, { cause });
  });
  const library = await import("@napi-rs/whisper").catch(() => null); // there is no binary for this system
  if (library === null) return new FilterModel(path, await modelVersion(getFFmpegInfo().version, path));
  const version = await modelVersion(libraryVersion(), path);
  try {
    return new WhisperModel({ path, version }, library, new library.Whisper(path, { useGpu: false }));
  } catch (cause) {
    throw new JobError("speech_no_model", `The encoder cannot load its speech model. ${GET_ONE}`, { cause });
  }
}

/** Of the package: the library itself does not say. */
const libraryVersion = (): string =>
  z.object({ version: z.string() }).parse(createRequire(import.meta.url)("@napi-rs/whisper/package.json")).version;

class WhisperModel implements SpeechModel {
  readonly engine = "whisper.cpp";
  readonly name: string;
  readonly version: string;
  readonly #library: typeof Library;
  readonly #model: Library.Whisper;

  constructor({ path, version }: { path: string; version: string }, library: typeof Library, model: Library.Whisper) {
    this.name = nameOf(path);
    this.version = version;
    this.#library = library;
    this.#model = model;
  }

  /**
   * The words of one sound. It blocks the process, which runs this job alone; words arrive by the event loop afterwards.
   */
  async hear({ samples, languageCode, prompt }: Hearing): Promise<Heard> {
    const words: SpokenWord[] = [];
    const params = this.#params();
    params.language = languageCode ?? "auto";
    params.initialPrompt = prompt;
    params.onNewSegment = ({ start, end, text }) => {
      const trimmed = text.trim();
      if (trimmed !== "") words.push([start * TICK_MS, end * TICK_MS, trimmed, !hasNoSpaces(trimmed.slice(0, 1))]);
    };
    const text = bare(this.#model.full(params, samples));
    // The words come by the event loop, behind what it has to do at the time.
    for (let turn = 0; turn < MOST_TURNS && bare(words.map(([, , word]) => word).join("")) !== text; turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
    return { languageCode: this.#library.Whisper.lang(this.#model.fullLangId) ?? "und", words };
  }

  #params(): Library.WhisperFullParams {
    const params = new this.#library.WhisperFullParams(this.#library.WhisperSamplingStrategy.BeamSearch);
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
