import type { Env } from "../../platform/env.ts";
import { Timers } from "../../platform/machine/timers.ts";
import { FailedImages } from "./failed-images.ts";
import type { ImageAnswer } from "./image-calls.ts";
import { KeptImages } from "./kept-images.ts";
import { DAY_MS, MadeImages } from "./made-images.ts";

/** The key of what is still to be prepared. */
export const PREPARE = "prepare";
const ASSET = "asset";
/** What was spent on pictures is forgotten this long after the last one, when no bound counts it any more. */
export const SPENT_MS = DAY_MS;

/** `prepare` makes the pictures of a ready asset, `report` writes what its pictures take, `sweep` deletes pictures and what is no longer needed. */
export type ImageTimer = "prepare" | "report" | "sweep";

/** The components of an asset's image maker. Its verbs are other files of this folder. */
export class ImageMakerComponents {
  readonly ctx: DurableObjectState;
  readonly env: Env;
  /** Epoch ms. */
  readonly clock: () => number;
  /** Pictures that are being made, by name: whoever asks meanwhile gets the same. */
  readonly underWay = new Map<string, Promise<ImageAnswer>>();
  /** Changed thumbnails of a broadcast, of the newest original alone. */
  readonly changed = new Map<string, ImageAnswer>();
  changedOf = "";
  readonly made: MadeImages;
  readonly kept: KeptImages;
  readonly failed: FailedImages;
  readonly timers: Timers<ImageTimer>;

  constructor(ctx: DurableObjectState, env: Env, clock: () => number = () => Date.now()) {
    const { sql, kv } = ctx.storage;
    this.ctx = ctx;
    this.env = env;
    this.clock = clock;
    this.made = new MadeImages(sql);
    this.kept = new KeptImages(sql);
    this.failed = new FailedImages(sql);
    this.timers = new Timers(ctx.storage, clock, () => ({ machine: "image", id: this.assetId ?? "" }));
    // Until 2026-11-28 preparing had the object's alarm for itself.
    if (kv.get(PREPARE) !== undefined && !this.timers.isScheduled("prepare")) this.timers.schedule("prepare", clock());
  }

  /** Null before the first picture of an asset. */
  get assetId(): string | null {
    return this.ctx.storage.kv.get<string>(ASSET) ?? null;
  }

  /** Notes the asset with its first picture, and keeps the object's storage from outliving its use. */
  keepForNow(assetId: string): void {
    if (this.assetId === null) this.ctx.storage.kv.put(ASSET, assetId);
    if (!this.timers.isScheduled("sweep")) this.timers.schedule("sweep", this.clock() + SPENT_MS);
  }
}
