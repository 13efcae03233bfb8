/** A watermark as a request has it (media contract, inputs), and as an encoder gets it. Pure. */
import type { MarkLength, Watermark } from "../../../protocol/jobs.ts";

export interface RequestedMark {
  /** Of the watermark, which its event names. */
  id: string;
  url: string;
  /** Where the request names it, such as `inputs[1]`. */
  path: string;
  placement: { xAlign: Watermark["xAlign"]; xMargin: string; yAlign: Watermark["yAlign"]; yMargin: string };
  width?: string;
  height?: string;
  opacity?: string;
}

/** `25%` or `40px`; a number alone is pixels. */
export const MARK_LENGTH = /^(\d{1,5}(?:\.\d{1,3})?)(%|px)?$/;
/** `80%`. */
export const MARK_OPACITY = /^(\d{1,3}(?:\.\d{1,3})?)%?$/;

/** @returns null for a text that is no length */
export function markLength(text: string): MarkLength | null {
  const [, value, unit] = MARK_LENGTH.exec(text) ?? [];
  return value === undefined ? null : { value: Number(value), unit: unit === "%" ? "percent" : "px" };
}

const NOTHING: MarkLength = { value: 0, unit: "px" };

/** @param file number of its file */
export function toWatermark({ placement, width, height, opacity }: RequestedMark, file: number): Watermark {
  const { xAlign, xMargin, yAlign, yMargin } = placement;
  return {
    file,
    xAlign,
    xMargin: markLength(xMargin) ?? NOTHING,
    yAlign,
    yMargin: markLength(yMargin) ?? NOTHING,
    width: width === undefined ? null : markLength(width),
    height: height === undefined ? null : markLength(height),
    opacity: Math.min(100, Number(MARK_OPACITY.exec(opacity ?? "")?.[1] ?? 100)) / 100,
  };
}
