/** Has pictures judged by the encoder's classifier, a few at once. */
import type { Frame } from "node-av/lib";
import { Scaler } from "../images/scaler.ts";
import { JobError } from "../platform/errors.ts";
import type * as Module from "./classifier.ts";
import type { PictureSink, SinkResult } from "./picture-sink.ts";
import { sexualScore } from "./sexual-score.ts";

/** One by one they take a fifth longer; more at once would block the process's ticks for longer. */
const AT_ONCE = 9;

/** Of the job's own process: one classifier is enough for it. */
export class PictureJudge implements PictureSink {
  readonly #classifier: Module.Classifier;
  readonly #names: { engine: string; model: string };
  readonly #scaler: Scaler;
  readonly #scores: number[] = [];
  #waiting: Uint8Array[] = [];
  #judgeMs = 0;

  private constructor({ ENGINE, MODEL, JUDGED_PX }: typeof Module, classifier: Module.Classifier) {
    this.#classifier = classifier;
    this.#names = { engine: ENGINE, model: MODEL };
    // The model has learnt from pictures that were squeezed into a square.
    this.#scaler = new Scaler(`scale=${JUDGED_PX}:${JUDGED_PX}:flags=bilinear,format=rgb24`);
  }

  /** @throws {JobError} encoder_failed when the classifier cannot be loaded */
  static async open(): Promise<PictureJudge> {
    const module = await import("./classifier.ts").catch((cause: unknown) => {
      throw new JobError("encoder_failed", "The encoder's classifier of pictures is not installed.", { cause });
    });
    return new PictureJudge(module, await module.Classifier.open());
  }

  async put(frame: Frame): Promise<void> {
    using scaled = await this.#scaler.scale(frame);
    this.#waiting.push(scaled.toBuffer());
    if (this.#waiting.length === AT_ONCE) await this.#judge();
  }

  async finish(): Promise<SinkResult> {
    if (this.#waiting.length > 0) await this.#judge();
    return { ...this.#names, scores: this.#scores, judgeMs: Math.round(this.#judgeMs) };
  }

  close(): void {
    this.#scaler.close();
    this.#classifier.close();
  }

  async #judge(): Promise<void> {
    const startedMs = performance.now();
    const judged = await this.#classifier.classify(this.#waiting);
    this.#waiting = [];
    this.#scores.push(...judged.map(sexualScore));
    this.#judgeMs += performance.now() - startedMs;
  }
}
