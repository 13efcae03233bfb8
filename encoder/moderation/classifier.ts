/**
 * The model of nsfwjs, on TensorFlow.js with its WebAssembly backend. The package's own `load` and `classify` would need all of
 * `@tensorflow/tfjs`, and judge one picture at a time, which takes longer than nine at once. Loaded by jobs that use it alone.
 */
import { enableProdMode, setBackend, type Tensor, tensor4d, tidy } from "@tensorflow/tfjs-core";
import { type GraphModel, loadGraphModel } from "@tensorflow/tfjs-converter";
import { MobileNetV2MidModel } from "nsfwjs/models/mobilenet_v2_mid";
import { JobError } from "../platform/errors.ts";
import { CLASSES, type ClassShares } from "./sexual-score.ts";

/** Width and height of the pictures that the model sees, whatever their shape was. */
export const JUDGED_PX = 224;
const SAMPLES = JUDGED_PX * JUDGED_PX * 3;
const WHITE = 255;

export const ENGINE = "nsfwjs";
export const MODEL = "MobileNetV2Mid";

/** A model as nsfwjs has it: a topology, and weights in base64. */
export type BundledModel = Pick<typeof MobileNetV2MidModel, "modelJson" | "weightBundles">;

export class Classifier {
  readonly #model: GraphModel;

  private constructor(model: GraphModel) {
    this.#model = model;
  }

  /** @throws {JobError} encoder_failed when the model cannot be loaded */
  static async open(bundled: BundledModel = MobileNetV2MidModel): Promise<Classifier> {
    try {
      enableProdMode();
      await import("@tensorflow/tfjs-backend-wasm"); // registers itself
      if (!(await setBackend("wasm"))) throw new Error("There is no WebAssembly backend.");
      const [{ default: json }, ...bundles] = await Promise.all([
        bundled.modelJson(),
        ...bundled.weightBundles.map((load) => load()),
      ]);
      const weights = Buffer.concat(bundles.map((bundle) => Buffer.from(bundle.default, "base64")));
      const model = await loadGraphModel({
        load: () =>
          Promise.resolve({
            modelTopology: json.modelTopology,
            format: json.format,
            weightSpecs: json.weightsManifest.flatMap((group: { weights: object[] }) => group.weights),
            weightData: new Uint8Array(weights).buffer,
          }),
      });
      return new Classifier(model);
    } catch (cause) {
      throw new JobError("encoder_failed", "The encoder cannot load its classifier of pictures.", { cause });
    }
  }

  /** Blocks the process for some tenths of a second for each picture. @param pictures of `JUDGED_PX`, as red, green and blue bytes */
  async classify(pictures: readonly Uint8Array[]): Promise<ClassShares[]> {
    const samples = new Float32Array(pictures.length * SAMPLES);
    for (const [n, bytes] of pictures.entries())
      for (let i = 0; i < SAMPLES; i += 1) samples[n * SAMPLES + i] = bytes[i]! / WHITE;
    const output = tidy(
      () => this.#model.predict(tensor4d(samples, [pictures.length, JUDGED_PX, JUDGED_PX, 3])) as Tensor,
    );
    const shares = await output.data();
    output.dispose();
    return pictures.map(
      (_, n) => Object.fromEntries(CLASSES.map((name, i) => [name, shares[n * CLASSES.length + i]])) as ClassShares,
    );
  }

  close(): void {
    this.#model.dispose();
  }
}
