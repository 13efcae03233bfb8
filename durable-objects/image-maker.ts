import { DurableObject } from "cloudflare:workers";
import { changePicture } from "../src/library/images/change-picture.ts";
import type { ImageAnswer, ImageCalls, ImageOrder, PictureOrder } from "../src/library/images/image-calls.ts";
import { choosePoster, makeImage } from "../src/library/images/make-image.ts";
import { ImageMakerComponents } from "../src/library/images/components.ts";
import { prepareDue, prepareSoon } from "../src/library/images/prepare-images.ts";
import type { PosterPlan } from "../src/media/images/poster-plan.ts";
import type { Env } from "../src/platform/env.ts";

/** Has the pictures of one asset, or of one broadcast, made: each once, and not too many (docs/architecture/images.md). */
export class ImageMaker extends DurableObject<Env> implements ImageCalls {
  readonly components: ImageMakerComponents;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.components = new ImageMakerComponents(ctx, env);
  }

  override async alarm(): Promise<void> {
    if (await prepareDue(this.components)) await this.components.forget();
  }

  make(order: ImageOrder): Promise<ImageAnswer> {
    return makeImage(this.components, order);
  }

  choosePoster(assetId: string, plan: PosterPlan): Promise<number | null> {
    return choosePoster(this.components, assetId, plan);
  }

  prepareSoon(assetId: string): Promise<void> {
    return prepareSoon(this.components, assetId);
  }

  change(order: PictureOrder): Promise<ImageAnswer> {
    return changePicture(this.components, order);
  }
}
