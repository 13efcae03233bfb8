import { sheetBandwidth } from "../images/sheet-json.ts";
import type { SheetPlan } from "../images/sheet-plan.ts";
import { timeline } from "./segment-template.ts";
import { element } from "./xml.ts";

const TIMESCALE = 1000;

/** How long the sheet would last if all of its places had a tile, in seconds. */
export const imageSetSeconds = ({ columns, rows, intervalSeconds }: SheetPlan): number =>
  columns * rows * intervalSeconds;

/** The sprite sheet, for players that show pictures while seeking: one segment of tiles (DASH-IF IOP 4.3 §6.2.6). */
export function imageSet(plan: SheetPlan, id: number): string {
  const { columns, rows, tile } = plan;
  return element(
    "AdaptationSet",
    { id, contentType: "image", mimeType: "image/jpeg" },
    element(
      "Representation",
      {
        id: "images",
        bandwidth: sheetBandwidth(plan),
        width: columns * tile.widthPx,
        height: rows * tile.heightPx,
      },
      element("EssentialProperty", {
        schemeIdUri: "http://dashif.org/guidelines/thumbnail_tile",
        value: `${columns}x${rows}`,
      }),
      element(
        "SegmentTemplate",
        { timescale: TIMESCALE, startNumber: 1, media: "spritesheet.jpg" },
        element("SegmentTimeline", {}, ...timeline([Math.round(imageSetSeconds(plan) * TIMESCALE)])),
      ),
    ),
  );
}
