import type { SourceVideo, VideoRung } from "../protocol.ts";

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
): string {
  const scales = rungs.map(
    ({ widthPx, heightPx }, i) =>
      `[s${i}]scale=${widthPx}:${heightPx}:flags=bicubic:out_color_matrix=bt709:out_range=tv,format=yuv420p,setsar=1[out${i}]`,
  );
  const branches = rungs.map((_, i) => `[s${i}]`).join("");
  return [`[in]${hdr === null ? "" : TO_SDR}${TURNS[rotationDegrees]}split=${rungs.length}${branches}`, ...scales].join(
    ";",
  );
}
