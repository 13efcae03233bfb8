import type { SourceVideo, VideoRung } from "../../protocol/jobs.ts";

/** Matrix coefficients of the output, by their number in Rec. ITU-T H.273 §8.3: BT.709, or BT.601 for what came with it. */
export type ColorMatrix = 1 | 6;

/**
 * Pure: which matrix the output has and whether pictures must be converted to it. BT.601 stays what it is: a conversion costs
 * time and rounds every sample, and every player knows both. Without a word from the source, small pictures are taken for BT.601
 * and others for BT.709, which is what browsers do with the source itself.
 *
 * @param matrix the source's, by its number in H.273
 */
export function colorPlan(
  matrix: number,
  heightPx: number,
  hdr: SourceVideo["hdr"],
): { matrix: ColorMatrix; isConverted: boolean } {
  const [UNSPECIFIED, PAL, NTSC, SD_HEIGHT_PX] = [2, 5, 6, 720];
  if (hdr !== null) return { matrix: 1, isConverted: false }; // tone mapping has done it
  if (matrix === PAL || matrix === NTSC || (matrix === UNSPECIFIED && heightPx < SD_HEIGHT_PX))
    return { matrix: 6, isConverted: false };
  return { matrix: 1, isConverted: matrix !== 1 && matrix !== UNSPECIFIED };
}

const TURNS = { 0: "", 90: "transpose=clock,", 180: "hflip,vflip,", 270: "transpose=cclock," } as const;
/** Tone mapping to BT.709: light is mapped in linear RGB of the target's primaries. */
const TO_SDR =
  "zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=bt709,tonemap=hable:desat=0,zscale=t=bt709:m=bt709:r=tv,format=yuv420p,";

/**
 * Pure: libav's graph from a decoded picture to every rung's. HDR is mapped first, then the picture is turned upright, then each
 * rung is scaled to its size from the source; square pixels come from the sizes.
 */
export function scaleGraph(
  { hdr, rotationDegrees }: Pick<SourceVideo, "hdr" | "rotationDegrees">,
  rungs: Pick<VideoRung, "widthPx" | "heightPx">[],
  isConvertedTo709: boolean,
): string {
  const color = isConvertedTo709 ? ":out_color_matrix=bt709" : "";
  const scales = rungs.map(
    ({ widthPx, heightPx }, i) =>
      `[s${i}]scale=${widthPx}:${heightPx}:flags=bicubic${color}:out_range=tv,format=yuv420p,setsar=1[out${i}]`,
  );
  const branches = rungs.map((_, i) => `[s${i}]`).join("");
  return [`[in]${hdr === null ? "" : TO_SDR}${TURNS[rotationDegrees]}split=${rungs.length}${branches}`, ...scales].join(
    ";",
  );
}
