import type { Env } from "../../platform/env.ts";
import type { ImageAnswer } from "./image-calls.ts";
import { DAY_MS, MadeImages } from "./made-images.ts";

/** The key of what is still to be prepared. */
export const PREPARE = "prepare";
/** What the maker remembers is deleted this long after its last picture, when no bound counts it any more. */
const FORGET_AFTER_MS = DAY_MS;

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
  made: MadeImages;

  constructor(ctx: DurableObjectState, env: Env, clock: () => number = () => Date.now()) {
    this.ctx = ctx;
    this.env = env;
    this.clock = clock;
    this.made = new MadeImages(ctx.storage.sql);
  }

  /** Keeps the object's storage from outliving its use, and its asset. */
  async keepForNow(): Promise<void> {
    if (this.ctx.storage.kv.get(PREPARE) !== undefined) return; // the alarm is for that, and comes sooner
    await this.ctx.storage.setAlarm(this.clock() + FORGET_AFTER_MS);
  }

  async forget(): Promise<void> {
    await this.ctx.storage.deleteAll();
    this.made = new MadeImages(this.ctx.storage.sql);
  }
}
