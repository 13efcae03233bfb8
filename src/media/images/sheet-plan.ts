import { planGrid } from "../../../protocol/ladder.ts";
import { type Rendition, secondsOf } from "../manifest/model.ts";
import { isTooMuchMedia } from "./media-bound.ts";
import { frameAt, type MediaPlace } from "./place.ts";
import { bySmallest, type Size } from "./sizes.ts";

/** Tiles of the sheet that is made with the ladder. */
const MAX_TILES = 144;
/** Limit of an advanced sheet, which has shorter intervals. */
const MAX_ADVANCED_TILES = 400;
/** Boxes into which tiles fit (media contract: a sample has 256×160). */
const BOX = { widthPx: 256, heightPx: 160 };
const ADVANCED_BOX = { widthPx: 160, heightPx: 100 };
/** The time between tiles when no key frame decides it. */
const MIN_INTERVAL_SECONDS = 2;

/** A picture of small pictures at regular times, row by row. */
export interface SheetPlan {
  /** Part of a storage key. */
  name: string;
  columns: number;
  rows: number;
  tile: Size;
  /** Tile n shows the frame at n times this. */
  intervalSeconds: number;
  tiles: number;
  durationSeconds: number;
  places: MediaPlace[];
}

/**
 * Plans the sheet of a whole asset from its smallest rung. The interval is a whole number of GOPs, so that only key frames are decoded.
 *
 * @returns null without a picture
 */
export function planSheet(rungs: readonly Rendition[]): SheetPlan | null {
  return planOf(rungs, BOX, MAX_TILES, null, "sheet");
}

/**
 * The same with an interval of the caller's, in whole frames. It is doubled until the sheet has no more tiles, and needs no more media, than
 * is allowed.
 */
export function planAdvancedSheet(rungs: readonly Rendition[], intervalSeconds: number): SheetPlan | null {
  return planOf(rungs, ADVANCED_BOX, MAX_ADVANCED_TILES, intervalSeconds, "advanced");
}

function planOf(
  rungs: readonly Rendition[],
  box: Size,
  maxTiles: number,
  asked: number | null,
  kind: string,
): SheetPlan | null {
  const [rung] = rungs.filter(({ widthPx, heightPx }) => widthPx !== null && heightPx !== null).toSorted(bySmallest);
  const durationSeconds = rung === undefined ? 0 : secondsOf(rung);
  if (rung === undefined || durationSeconds <= 0) return null;
  const unit = unitSeconds(rung, asked);
  for (let times = Math.max(1, Math.ceil(durationSeconds / unit / maxTiles - 1e-9)); ; times *= 2) {
    const intervalSeconds = unit * times;
    const tiles = Math.max(1, Math.ceil(durationSeconds / intervalSeconds - 1e-6));
    const places = placesAt(rung, intervalSeconds, tiles);
    if (places === null) return null;
    if (tiles > 1 && isTooMuchMedia(places)) continue;
    const columns = Math.ceil(Math.sqrt(tiles));
    const tile = tileSize(rung, box);
    const name = `${kind}-${rung.name}-${Math.round(intervalSeconds * 1000)}-${tiles}`;
    return { name, columns, rows: Math.ceil(tiles / columns), tile, intervalSeconds, tiles, durationSeconds, places };
  }
}

/** The shortest interval, in whole frames: that of the caller, or a GOP. */
function unitSeconds({ origin, segments, frameRateNum, frameRateDen }: Rendition, asked: number | null): number {
  const hasGrid = origin === "ladder" && segments.spans === undefined && frameRateNum !== null && frameRateDen !== null;
  if (!hasGrid) return asked ?? MIN_INTERVAL_SECONDS;
  const frames =
    asked === null
      ? planGrid({ num: frameRateNum, den: frameRateDen }).framesPerGop
      : Math.max(1, Math.round((asked * frameRateNum) / frameRateDen));
  return (frames * frameRateDen) / frameRateNum;
}

/** Frames of the same GOP or segment are read once. @returns null when the rung has no media */
function placesAt(rung: Rendition, intervalSeconds: number, tiles: number): MediaPlace[] | null {
  const places: MediaPlace[] = [];
  for (let n = 0; n < tiles; n++) {
    const place = frameAt(rung, n * intervalSeconds)?.place;
    if (place === undefined) return null;
    const before = places.at(-1);
    if (before?.segment !== place.segment || before.offset !== place.offset) {
      places.push(place);
      continue;
    }
    // A GOP holds its key frame too.
    const larger = before.bytes >= place.bytes ? before : place;
    places[places.length - 1] = { ...larger, atSeconds: [...before.atSeconds, ...place.atSeconds] };
  }
  return places;
}

function tileSize({ widthPx, heightPx }: Rendition, box: Size): Size {
  const factor = Math.min(box.widthPx / widthPx!, box.heightPx / heightPx!);
  const even = (px: number) => Math.max(2, 2 * Math.round((px * factor) / 2));
  return { widthPx: even(widthPx!), heightPx: even(heightPx!) };
}
