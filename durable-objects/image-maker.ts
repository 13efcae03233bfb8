import { DurableObject } from "cloudflare:workers";
import { changePicture } from "../src/library/images/change-picture.ts";
import type { ImageAnswer, ImageCalls, ImageOrder, PictureOrder } from "../src/library/images/image-calls.ts";
import { choosePoster, makeImage } from "../src/library/images/make-image.ts";
import { ImageMakerComponents } from "../src/library/images/components.ts";
import { prepareSoon } from "../src/library/images/prepare-images.ts";
import { runImageTimers } from "../src/library/images/timers.ts";
import type { PosterPlan } from "../src/media/images/poster-plan.ts";
import type { Env } from "../src/platform/env.ts";

/** Has the pictures of one asset, or of one broadcast, made: each once, and not too many (docs/architecture/images.md). */
export class ImageMaker extends DurableObject<Env> implements ImageCalls {
  #opened: ImageMakerComponents | null = null;

  get components(): ImageMakerComponents {
    return (this.#opened ??= new ImageMakerComponents(this.ctx, this.env));
  }

  override async alarm(): Promise<void> {
    if (!(await runImageTimers(this.components)) || this.components.underWay.size > 0) return;
    this.#opened = null;
    await this.ctx.storage.deleteAll();
  }

  make(order: ImageOrder): Promise<ImageAnswer> {
    return makeImage(this.components, order);
  }

  choosePoster(assetId: string, plan: PosterPlan): Promise<number | null> {
    return choosePoster(this.components, assetId, plan);
  }

  prepareSoon(assetId: string): void {
    prepareSoon(this.components, assetId);
  }

  change(order: PictureOrder): Promise<ImageAnswer> {
    return changePicture(this.components, order);
  }
}
