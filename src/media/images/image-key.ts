import type { Transform } from "../../../protocol/images.ts";

/** The canonical name of a transform: equal ones have the same. */
export function transformName({ rotate, flip, scale, crop, pad, blur = 0 }: Transform): string {
  return [
    `${scale.widthPx}x${scale.heightPx}`,
    crop === null ? "" : `c${crop.widthPx}x${crop.heightPx}${crop.smart ? "s" : ""}`,
    pad === null ? "" : `p${pad.widthPx}x${pad.heightPx}`,
    rotate === 0 ? "" : `r${rotate}`,
    flip === "none" ? "" : flip,
    blur === 0 ? "" : `b${blur}`,
  ]
    .filter((part) => part !== "")
    .join("-");
}
