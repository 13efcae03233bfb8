import { jpegSize } from "../../media/images/jpeg-size.ts";
import { planTransform } from "../../media/images/sizes.ts";
import { liveThumbnailKey } from "../../platform/storage/keys.ts";
import { askEncoder } from "./ask-encoder.ts";
import type { ImageFailure } from "./failed-images.ts";
import type { ImageAnswer, PictureOrder } from "./image-calls.ts";
import type { ImageMakerComponents } from "./components.ts";

const failureOf = (failure: ImageFailure | null): ImageAnswer | null =>
  failure && { kind: failure === "unreadable" ? failure : "unavailable" };

/** The changed pictures that are kept for one thumbnail. */
const KEPT = 16;

/**
 * Changes the newest thumbnail of a broadcast. The result is kept in memory until the next thumbnail is there, which is at most five seconds.
 */
export async function changePicture(machine: ImageMakerComponents, order: PictureOrder): Promise<ImageAnswer> {
  const { env, made, failed, clock, changed } = machine;
  const { sessionId, workspaceId, playbackId, format, fit } = order;
  const name = `${format} ${JSON.stringify(fit)}`;
  const original = await env.MEDIA.get(liveThumbnailKey(sessionId));
  if (original === null) return { kind: "unreadable" };
  if (machine.changedOf !== original.etag) {
    machine.changedOf = original.etag;
    changed.clear();
  }
  const flight = `${original.etag} ${name}`;
  const known = changed.get(name) ?? failureOf(failed.of(flight, clock()));
  if (known !== null) {
    await original.body.cancel();
    return known;
  }
  const bytes = new Uint8Array(await original.arrayBuffer());
  const underWay = machine.underWay.get(flight);
  if (underWay !== undefined) return await underWay;
  const size = jpegSize(bytes);
  if (size === null) return { kind: "unreadable" };
  const transform = planTransform(fit, size);
  const waitMs = made.spend(playbackId, 1, clock());
  if (waitMs > 0) return { kind: "nearest", type: "image/jpeg", bytes: bytes.buffer };
  const work = change().finally(() => machine.underWay.delete(flight));
  machine.underWay.set(flight, work);
  return await work;

  async function change(): Promise<ImageAnswer> {
    machine.keepForNow(sessionId);
    const request = { kind: "picture", bytes: bytes.length, format, transform } as const;
    const image = await askEncoder(env, { assetId: sessionId, workspaceId }, request, [bytes], true);
    if (image === "unreadable" || image === "failed") failed.remember(flight, image, clock());
    if (typeof image === "string") return { kind: image === "unreadable" ? image : "unavailable" };
    const answer: ImageAnswer = { kind: "made", ...image };
    if (machine.changedOf === original!.etag && changed.size < KEPT) changed.set(name, answer);
    return answer;
  }
}
