import type { VideoRung } from "../../protocol/jobs.ts";
import type { SourceVideo } from "../../protocol/source-facts.ts";
import type { Size } from "../../protocol/ladder.ts";
import type { MarkPlace } from "../../protocol/media/mark-place.ts";
import type { Orientation } from "./orientation.ts";
import { placeInside } from "./picture-shape.ts";

/** Matrix coefficients of the output (Rec. ITU-T H.273 §8.3): BT.709, or BT.601 for BT.601 sources. */
export type ColorMatrix = 1 | 6;

export interface ColorPlan {
  matrix: ColorMatrix;
  isConverted: boolean;
}

/**
 * Chooses the output matrix and whether pictures must be converted to it. Pure. BT.601 is kept, because conversion costs time and rounds
 * every sample, and every player supports both. Without a declared matrix, small pictures are assumed to be BT.601 and others BT.709, as
 * in browsers.
 *
 * @param matrix the source's matrix coefficients (H.273)
 */
export function colorPlan(matrix: number, heightPx: number, hdr: SourceVideo["hdr"]): ColorPlan {
  const [UNSPECIFIED, PAL, NTSC, SD_HEIGHT_PX] = [2, 5, 6, 720];
  if (hdr !== null) return { matrix: 1, isConverted: false }; // tone mapping converts it
  if (matrix === PAL || matrix === NTSC || (matrix === UNSPECIFIED && heightPx < SD_HEIGHT_PX))
    return { matrix: 6, isConverted: false };
  return { matrix: 1, isConverted: matrix !== 1 && matrix !== UNSPECIFIED };
}

const TURNS = { 0: "", 90: "transpose=clock,", 180: "hflip,vflip,", 270: "transpose=cclock," } as const;
/** Tone mapping to BT.709, in linear RGB with the target's primaries. */
const TO_SDR =
  "zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=bt709,tonemap=hable:desat=0,zscale=t=bt709:m=bt709:r=tv,format=yuv420p,";

/**
 * Builds libav's graph from a decoded picture to every rung. Pure. Applies tone mapping, then mirroring and rotation, then scales each rung directly from
 * the source; rung sizes imply square pixels.
 *
 * @param isConverted to the output's matrix
 * @param other the size of a picture that has another shape than the rungs, after rotation and in square pixels: it is fitted into each with black bars;
 *   null = the rungs' own shape
 * @param marks where a watermark lies in each rung: it comes in as "[mark0]" for the first one, and so on
 */
export function scaleGraph(
  { hdr, rotationDegrees, isMirrored }: Pick<SourceVideo, "hdr"> & Orientation,
  rungs: Pick<VideoRung, "widthPx" | "heightPx">[],
  isConverted: boolean,
  {
    matrix = 1,
    other = null,
    marks = [],
  }: { matrix?: ColorMatrix; other?: Size | null; marks?: readonly MarkPlace[] } = {},
): string {
  const color = isConverted ? `:out_color_matrix=${matrix === 1 ? "bt709" : "smpte170m"}` : "";
  const scales = rungs.map((rung, i) => {
    const place = other === null ? { ...rung, x: 0, y: 0 } : placeInside(other, rung);
    const bars = other === null ? "" : `pad=${rung.widthPx}:${rung.heightPx}:${place.x}:${place.y},`;
    const scale = `scale=${place.widthPx}:${place.heightPx}:flags=bicubic${color}:out_range=tv`;
    const mark = marks[i];
    const made = `[s${i}]${scale},format=yuv420p,${bars}setsar=1`;
    return mark === undefined
      ? `${made}[out${i}]`
      : `${made}[b${i}];[b${i}][mark${i}]overlay=${mark.x}:${mark.y}:format=yuv420:eof_action=repeat[out${i}]`;
  });
  const branches = rungs.map((_, i) => `[s${i}]`).join("");
  const upright = `${hdr === null ? "" : TO_SDR}${isMirrored === true ? "hflip," : ""}${TURNS[rotationDegrees]}`;
  return [`[in]${upright}split=${rungs.length}${branches}`, ...scales].join(";");
}
