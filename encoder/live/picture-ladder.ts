/** Encodes the rungs of a run: one scale graph, one encoder per rung in parallel, and thumbnails from an already scaled rung. */
import type { Frame } from "node-av/lib";
import { AVCOL_TRC_ARIB_STD_B67, AVCOL_TRC_SMPTE2084 } from "node-av/constants";
import type { Orientation } from "../media/orientation.ts";
import { PictureGraph } from "../media/picture-graph.ts";
import { colorPlan, scaleGraph } from "../media/scale-graph.ts";
import type { Fraction, SourceVideo } from "../../protocol/source-facts.ts";
import type { LiveRung } from "./live-rung.ts";
import { isThumbnailFrame, jpegOf, thumbnailSource } from "./thumbnail.ts";

/** Decoding waits when the slowest encoder is this many pictures behind. */
const PICTURES_AHEAD = 4;

export interface LadderPicture {
  frameRate: Fraction;
  orientation: Orientation;
  /** Called with the JPEG of an output frame. */
  onThumbnail: (bytes: Buffer, number: number) => void;
  onThumbnailFailed: (reason: string) => void;
}

export class PictureLadder {
  readonly #picture: LadderPicture;
  #rungs: LiveRung[];
  #encodings: Promise<void>[];
  readonly #toDrop = new Set<string>();
  readonly #pending: Promise<unknown>[] = [];
  #graph: PictureGraph | undefined;
  #thumbnail: Promise<void> = Promise.resolve();

  constructor(rungs: LiveRung[], picture: LadderPicture) {
    this.#picture = picture;
    this.#rungs = rungs;
    this.#encodings = rungs.map(() => Promise.resolve());
  }

  /** Largest first. */
  get rungs(): readonly LiveRung[] {
    return this.#rungs;
  }

  /** Rungs that are not marked to be dropped. */
  get kept(): readonly LiveRung[] {
    return this.#rungs.filter(({ rung }) => !this.#toDrop.has(rung.name));
  }

  /** Encodes one output frame in every rung. The caller keeps ownership of the picture. */
  async encode(picture: Frame, number: number): Promise<void> {
    const { frameRate } = this.#picture;
    picture.pts = BigInt(number);
    const graph = await this.#graphFor(picture);
    graph.put(picture);
    const thumbnailRung = isThumbnailFrame(number, frameRate)
      ? thumbnailSource(this.#rungs.map(({ rung }) => rung.widthPx))
      : -1;
    for (const [i, rung] of this.#rungs.entries()) {
      const scaled = (await graph.take(i))!;
      if (i === thumbnailRung) this.#makeThumbnail(scaled, number);
      this.#encodings[i] = this.#encodings[i]!.then(() => rung.encode(scaled)).finally(() => scaled.free());
    }
    const all = Promise.all(this.#encodings);
    all.catch(() => {}); // handled by a later await
    this.#pending.push(all);
    if (this.#pending.length > PICTURES_AHEAD) await this.#pending.shift();
  }

  /** Resolves when all pictures have been encoded. */
  async settle(): Promise<void> {
    await Promise.all(this.#pending.splice(0));
    await this.#thumbnail;
  }

  /** Removes rungs; the caller finishes and closes them. */
  async remove(gone: readonly LiveRung[]): Promise<void> {
    await this.settle();
    this.#rungs = this.#rungs.filter((rung) => !gone.includes(rung));
    this.#encodings = this.#rungs.map(() => Promise.resolve());
    this.#closeGraph();
  }

  /** Marks a rung to be dropped. */
  drop(name: string): void {
    this.#toDrop.add(name);
  }

  /** Finishes, closes and removes the marked rungs. Yields the name of each. */
  async *dropMarked(): AsyncGenerator<string> {
    const dropped = this.#rungs.filter(({ rung }) => this.#toDrop.has(rung.name));
    if (dropped.length === 0) return;
    await this.remove(dropped);
    for (const rung of dropped) {
      await rung.finish();
      rung.close();
      yield rung.rung.name;
    }
  }

  close(): void {
    this.#closeGraph();
    for (const rung of this.#rungs) rung.close();
    this.#rungs = [];
  }

  async #graphFor(picture: Frame): Promise<PictureGraph> {
    if (this.#graph?.suits(picture) === true) return this.#graph;
    this.#closeGraph();
    const hdr = hdrOf(picture);
    const { isConverted } = colorPlan(picture.colorSpace, picture.height, hdr);
    const rungs = this.#rungs.map(({ rung }) => rung);
    const filters = scaleGraph({ ...this.#picture.orientation, hdr }, rungs, isConverted);
    this.#graph = await PictureGraph.open(filters, rungs.length, picture, { num: 1, den: 1_000_000 });
    return this.#graph;
  }

  #closeGraph(): void {
    this.#graph?.close();
    this.#graph = undefined;
  }

  /** Runs in parallel with the encoders. A failure is reported and otherwise ignored. */
  #makeThumbnail(picture: Frame, number: number): void {
    const copy = picture.clone();
    if (copy === null) return;
    this.#thumbnail = this.#thumbnail
      .then(() => jpegOf(copy))
      .then((bytes) => this.#picture.onThumbnail(bytes, number))
      .catch((error: unknown) => this.#picture.onThumbnailFailed(String(error)))
      .finally(() => copy.free());
  }
}

export function hdrOf({ colorTrc }: Frame): SourceVideo["hdr"] {
  if (colorTrc === AVCOL_TRC_SMPTE2084) return "pq";
  return colorTrc === AVCOL_TRC_ARIB_STD_B67 ? "hlg" : null;
}
