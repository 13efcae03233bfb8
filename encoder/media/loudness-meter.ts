/** Measures loudness by EBU R128 (ITU-R BS.1770). */
import type { Frame } from "node-av/lib";
import type { MeasuredLoudness } from "../../protocol/jobs.ts";
import { SoundGraph } from "./sound-graph.ts";

/** What the standard gates: quieter sound does not count, so a sound that is quieter throughout has no loudness. */
const SILENCE_LUFS = -70;
/** Of peaks; libav gives them with three decimals of full scale. */
const LOWEST_PEAK_DB = -66;

export class LoudnessMeter {
  #graph: SoundGraph | undefined;
  #measured: MeasuredLoudness = { integratedLufs: SILENCE_LUFS, truePeakDb: LOWEST_PEAK_DB, rangeLu: 0 };

  /** @param frame stays the caller's */
  async put(frame: Frame): Promise<void> {
    this.#graph ??= await SoundGraph.open("ebur128=peak=true:metadata=1:framelog=quiet", frame);
    this.#graph.put(frame);
    this.#read(this.#graph.ready());
  }

  /** Of all frames so far. */
  finish(): MeasuredLoudness {
    if (this.#graph !== undefined) this.#read(this.#graph.rest());
    this.#graph?.close();
    this.#graph = undefined;
    return this.#measured;
  }

  #read(frames: Iterable<Frame>): void {
    for (const frame of frames) {
      const metadata = frame.getMetadata();
      const value = (name: string) => Number(metadata.get(`lavfi.r128.${name}`) ?? Number.NaN);
      const [integrated, range, peak] = [value("I"), value("LRA"), value("true_peak")];
      if (Number.isFinite(integrated))
        this.#measured = {
          integratedLufs: Math.max(SILENCE_LUFS, integrated),
          truePeakDb: Math.max(LOWEST_PEAK_DB, 20 * Math.log10(peak)),
          rangeLu: Number.isFinite(range) ? range : 0,
        };
      frame.free();
    }
  }
}
