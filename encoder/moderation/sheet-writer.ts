/** Stores pictures side by side, nine to a JPEG. */
import type { Frame } from "node-av/lib";
import { type PicturesJob, PICTURES_PER_SHEET, SHEET_EDGE, SHEET_PICTURE_PX } from "../../protocol/pictures.ts";
import { Canvas } from "../images/canvas.ts";
import { encodePicture, sheetFrame } from "../images/picture-encoder.ts";
import { Scaler } from "../images/scaler.ts";
import { tileFilters } from "../images/sheet.ts";
import type { JobContext } from "../media/job-context.ts";
import { placeInside } from "../media/picture-shape.ts";
import { Store } from "../media/store.ts";
import type { PictureSink, SinkResult } from "./picture-sink.ts";

const MAX_SHEET_BYTES = 300_000;
/** Quantizers of libav's JPEG. The first one is about quality 80; the others are for noise, which is too large then. */
const QUANTIZERS = [5, 9, 16, 31];
const BOX = { widthPx: SHEET_PICTURE_PX, heightPx: SHEET_PICTURE_PX };

export class SheetWriter implements PictureSink {
  readonly #rendition: string;
  readonly #store: Store;
  #sheet: { canvas: Canvas; tile: { widthPx: number; heightPx: number }; scaler: Scaler } | null = null;
  #onSheet = 0;
  #sheets = 0;

  constructor(job: PicturesJob, { onWait }: Pick<JobContext, "onWait">) {
    this.#rendition = job.rendition;
    this.#store = new Store(job, onWait);
  }

  async put(frame: Frame): Promise<void> {
    const { canvas, tile, scaler } = (this.#sheet ??= newSheet(frame));
    using scaled = await scaler.scale(frame);
    const [column, row] = [this.#onSheet % SHEET_EDGE, Math.floor(this.#onSheet / SHEET_EDGE)];
    canvas.paste(scaled, column * tile.widthPx, row * tile.heightPx);
    this.#onSheet += 1;
    if (this.#onSheet === PICTURES_PER_SHEET) await this.#storeSheet();
  }

  async finish(): Promise<SinkResult> {
    if (this.#onSheet > 0) await this.#storeSheet();
    await this.#store.flushed();
    return { scores: [], engine: null, model: null, judgeMs: 0 };
  }

  close(): void {
    this.#sheet?.scaler.close();
  }

  async #storeSheet(): Promise<void> {
    const { canvas, scaler } = this.#sheet!;
    this.#store.put(this.#rendition, `${this.#sheets}.jpg`, await encodeSheet(canvas));
    scaler.close();
    this.#sheet = null;
    this.#onSheet = 0;
    this.#sheets += 1;
    await this.#store.settled();
  }
}

/** The first picture of a sheet gives the shape of all: those of a rendition have one size. */
function newSheet(frame: Frame) {
  const { widthPx, heightPx } = placeInside({ widthPx: frame.width, heightPx: frame.height }, BOX);
  const tile = { widthPx, heightPx };
  return {
    canvas: new Canvas(SHEET_EDGE * widthPx, SHEET_EDGE * heightPx),
    tile,
    scaler: new Scaler(tileFilters(tile)),
  };
}

async function encodeSheet({ widthPx, heightPx, bytes }: Canvas): Promise<Buffer> {
  let encoded: Buffer = Buffer.alloc(0);
  for (const quantizer of QUANTIZERS) {
    using sheet = sheetFrame(widthPx, heightPx, bytes);
    encoded = await encodePicture(sheet, "jpg", { qmin: quantizer, qmax: quantizer });
    if (encoded.length <= MAX_SHEET_BYTES) break;
  }
  return encoded;
}
