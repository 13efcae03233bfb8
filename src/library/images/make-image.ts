import { PosterChoice } from "../../../protocol/images.ts";
import { isTooMuchMedia, mediaBytes } from "../../media/images/media-bound.ts";
import type { PosterPlan } from "../../media/images/poster-plan.ts";
import { errorFields, logWarning } from "../../platform/log.ts";
import { imageKey } from "../../platform/storage/keys.ts";
import { askEncoder, type EncodedImage, type NoImage } from "./ask-encoder.ts";
import type { ImageFailure } from "./failed-images.ts";
import { noteStored } from "./keep-images.ts";
import { heldMedia } from "./held-media.ts";
import type { ImageAnswer, ImageOrder } from "./image-calls.ts";
import type { ImageMakerComponents } from "./components.ts";
import { type PlacedMedia, readPlaces } from "./read-places.ts";

/** The time of an asset's poster, in seconds, as JSON. */
export const POSTER_NAME = "poster.json";

/** Makes a picture, unless it is there or being made. Nobody who asks at the same time causes more work. */
export async function makeImage(machine: ImageMakerComponents, order: ImageOrder): Promise<ImageAnswer> {
  const known = machine.underWay.get(order.name);
  if (known !== undefined) return await known;
  const stores: Promise<void>[] = [];
  const work = makeOrFind(machine, order, (under) => stores.push(under));
  machine.underWay.set(order.name, work);
  const forget = () => void machine.underWay.delete(order.name);
  try {
    return await work;
  } finally {
    // The answer does not wait for R2. Until R2 has the picture, others get the same answer.
    if (stores.length === 0) forget();
    else machine.ctx.waitUntil(Promise.all(stores).then(forget));
  }
}

async function makeOrFind(
  machine: ImageMakerComponents,
  order: ImageOrder,
  onStoring: (under: Promise<void>) => void,
): Promise<ImageAnswer> {
  const { made, failed, clock } = machine;
  const { assetId, name, playbackId, weight, places } = order;
  const stored = await read(machine, assetId, name);
  if (stored !== null) return { kind: "made", ...stored };
  if (isTooMuchMedia(places)) return { kind: "unreadable" };
  const failure = failed.of(name, clock());
  if (failure !== null) return answerOf(failure);
  if (playbackId !== null) {
    const waitMs = made.spend(playbackId, weight, clock());
    if (waitMs > 0) return await nearestOf(machine, order, waitMs);
  }
  machine.keepForNow(assetId);
  let image = await holdAndEncode(machine, order);
  if ((image === "unreadable" || image === "no media") && order.instead !== undefined)
    image = await holdAndEncode(machine, { ...order, ...order.instead });
  if (image === "no room") logWarning("image.no_room", { assetId, name });
  if (image === "unreadable" || image === "failed") {
    // Pictures that the platform makes itself are tried again by its own schedule.
    if (playbackId !== null) failed.remember(name, image, clock());
    return answerOf(image);
  }
  // A segment that is listed and not stored yet may be there in a moment, so this is not remembered.
  if (image === "no media") return { kind: "unreadable" };
  if (typeof image === "string") return { kind: "unavailable" };
  onStoring(store(machine, order, image));
  return { kind: "made", ...image };
}

const answerOf = (failure: ImageFailure): ImageAnswer => ({ kind: failure === "unreadable" ? failure : "unavailable" });

const holdAndEncode = (machine: ImageMakerComponents, order: ImageOrder) =>
  heldMedia.hold(mediaBytes(order.places), () => readAndEncode(machine, order));

async function readAndEncode(
  { env }: ImageMakerComponents,
  { assetId, workspaceId, name, places, work }: ImageOrder,
): Promise<EncodedImage | NoImage | "no media"> {
  let media: PlacedMedia | null;
  try {
    media = await readPlaces(env, assetId, places);
  } catch (error) {
    // As of a segment: the server of the source is down, or the upload has not come so far.
    logWarning("image.source_not_read", { assetId, name, ...errorFields(error) });
    return "unavailable";
  }
  if (media === null) return "no media";
  const { bytes, isOurs, inits, pieces } = media;
  return await askEncoder(env, { assetId, workspaceId }, { ...work, inits, pieces }, bytes, isOurs);
}

async function store(
  machine: ImageMakerComponents,
  { assetId, name, playbackId, nearSeconds }: ImageOrder,
  { type, bytes }: EncodedImage,
): Promise<void> {
  try {
    await machine.env.MEDIA.put(imageKey(assetId, name), bytes, { httpMetadata: { contentType: type } });
    noteStored(machine, { name, playbackId, seconds: nearSeconds, bytes: bytes.byteLength });
  } catch (error) {
    logWarning("image.not_stored", { assetId, name, ...errorFields(error) }); // the next request makes it again
  }
}

async function read({ env }: ImageMakerComponents, assetId: string, name: string) {
  const object = await env.MEDIA.get(imageKey(assetId, name));
  if (object === null) return null;
  return { type: object.httpMetadata?.contentType ?? "application/octet-stream", bytes: await object.arrayBuffer() };
}

async function nearestOf(machine: ImageMakerComponents, order: ImageOrder, waitMs: number): Promise<ImageAnswer> {
  const { assetId, name, playbackId, nearSeconds } = order;
  const extension = name.slice(name.lastIndexOf(".") + 1);
  const nearest = nearSeconds === null ? null : machine.kept.nearest(playbackId!, nearSeconds, extension);
  const found = nearest === null ? null : await read(machine, assetId, nearest);
  if (found !== null) return { kind: "nearest", ...found };
  return { kind: "too many", retryAfterSeconds: Math.ceil(waitMs / 1000) };
}

/** Chooses the poster once; later calls get the same time. @returns seconds, or null when no encoder can be asked */
export async function choosePoster(
  machine: ImageMakerComponents,
  assetId: string,
  { seconds, places }: PosterPlan,
): Promise<number | null> {
  const order: ImageOrder = {
    assetId,
    workspaceId: null,
    playbackId: null,
    name: "poster-scores.json",
    nearSeconds: null,
    weight: 0,
    work: { kind: "poster" },
    places,
  };
  const known = await machine.env.MEDIA.get(imageKey(assetId, POSTER_NAME));
  if (known !== null) return (await known.json<{ seconds: number }>()).seconds;
  const answer = await makeImage(machine, order);
  if (answer.kind === "unreadable") return 0;
  if (answer.kind !== "made") return null;
  const { best } = PosterChoice.parse(JSON.parse(new TextDecoder().decode(answer.bytes)));
  const chosen = seconds[best] ?? 0;
  await machine.env.MEDIA.put(imageKey(assetId, POSTER_NAME), JSON.stringify({ seconds: chosen }));
  return chosen;
}
