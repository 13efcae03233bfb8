import type { ClipFormat, StillFormat } from "../../../protocol/images.ts";
import { transformName } from "../../media/images/image-key.ts";
import { isTooMuchMedia } from "../../media/images/media-bound.ts";
import { frameAt, placesBetween } from "../../media/images/place.ts";
import { bySmallest, type Fit, nearestRung } from "../../media/images/sizes.ts";
import type { SheetPlan } from "../../media/images/sheet-plan.ts";
import type { ClipParameters } from "../../media/images/parameters.ts";
import type { Rendition } from "../../media/manifest/model.ts";
import type { ImageOrder } from "./image-calls.ts";

/** What an animation, or a sheet, costs in stills. */
const LARGE_WEIGHT = 10;

/** The asset with its workspace, and the playback ID, or `REVIEW`, for which the picture is counted; null = the platform's own. */
type For = Pick<ImageOrder, "assetId" | "workspaceId" | "playbackId">;

/** Where the rungs begin, in a broadcast of which they are a range. */
interface RangeStart {
  /** The number of the first segment. */
  first: number;
  startSeconds: number;
}

/**
 * @param range null = the rungs are whole
 * @returns null when no rung has a picture; an order of too much media when each rung has too much, for the caller to refuse
 */
export function stillOrder(
  who: For,
  rungs: readonly Rendition[],
  { seconds, fit, format }: { seconds: number; fit: Fit; format: StillFormat },
  range: RangeStart | null = null,
): ImageOrder | null {
  return orderFrom(rungs, fit, ({ rung, transform }) => {
    const frame = frameAt(rung, Math.max(0, seconds - (range?.startSeconds ?? 0)));
    if (frame === null) return null;
    // Frames of broadcasts have times, which are those of the recording too.
    const frameName = range === null ? frame.name : `t${Math.round(seconds * 1000)}`;
    return {
      ...who,
      name: `${rung.name}.${frameName}.${transformName(transform)}.${format}`,
      // In the place of a blurred picture, nobody gets a sharp one.
      nearSeconds: fit.blur === 0 ? seconds : null,
      weight: 1,
      work: { kind: "still", format, transform },
      places: [{ ...frame.place, segment: frame.place.segment + (range?.first ?? 0) }],
    };
  });
}

/**
 * @param endSeconds of the media, where the clip ends at the latest
 * @returns null when no rung has a picture; an order of too much media when each rung has too much, for the caller to refuse
 */
export function clipOrder(
  who: For,
  rungs: readonly Rendition[],
  { widthPx, heightPx, startSeconds, framesPerSecond, ...asked }: ClipParameters,
  endSeconds: number,
  format: ClipFormat,
): ImageOrder | null {
  const fit: Fit = { widthPx, heightPx, mode: "preserve", rotate: 0, flip: "none", blur: 0 };
  const end = Math.max(startSeconds + 0.01, Math.min(asked.endSeconds, endSeconds));
  const range = [startSeconds, end].map((time) => Math.round(time * 1000)).join("-");
  return orderFrom(rungs, fit, ({ rung, transform: { scale: size } }) => {
    const places = placesBetween(rung, startSeconds, end);
    if (places.length === 0) return null;
    return {
      ...who,
      name: `clip.${rung.name}.${range}.${size.widthPx}x${size.heightPx}-${framesPerSecond}.${format}`,
      nearSeconds: null,
      weight: LARGE_WEIGHT,
      work: { kind: "clip", format, framesPerSecond, size, startSeconds, endSeconds: end },
      places,
    };
  });
}

type Nearest = NonNullable<ReturnType<typeof nearestRung<Rendition>>>;

/** The order of the best rung for a size. For the source's own media, which may be damaged, it includes the order of an encoded rung. */
function orderFrom(
  rungs: readonly Rendition[],
  fit: Fit,
  orderOf: (nearest: Nearest) => ImageOrder | null,
): ImageOrder | null {
  const order = withinBound(rungs, fit, orderOf);
  const [place] = order?.places ?? [];
  if (order === null || place?.isPassthrough !== true) return order;
  const others = rungs.filter(({ name }) => name !== place.rendition);
  const encoded = withinBound(others, fit, orderOf);
  return encoded === null ? order : { ...order, instead: { work: encoded.work, places: encoded.places } };
}

/** The order of the best rung for a size; of a smaller rung when there is too much media in that one. */
function withinBound(
  rungs: readonly Rendition[],
  fit: Fit,
  orderOf: (nearest: Nearest) => ImageOrder | null,
): ImageOrder | null {
  const nearest = nearestRung(rungs, fit);
  const order = nearest && orderOf(nearest);
  if (nearest === null || order === null || !isTooMuchMedia(order.places)) return order;
  const smaller = rungs.filter((rung) => bySmallest(rung, nearest.rung) < 0);
  const other = withinBound(smaller, fit, orderOf);
  return other === null || isTooMuchMedia(other.places) ? order : other;
}

export const sheetOrder = (who: For, { name, columns, rows, tile, places }: SheetPlan): ImageOrder => ({
  ...who,
  name: `${name}.jpg`,
  nearSeconds: null,
  weight: LARGE_WEIGHT,
  work: { kind: "sheet", columns, rows, tile },
  places,
});
