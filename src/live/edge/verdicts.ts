import type { PartVerdict } from "../../media/live/origin-facts.ts";
import type { EdgeParts } from "./parts.ts";

/** The connection may not write. */
export const OVER = { verdict: "over" } as const;
export const TAKEN = { verdict: "taken" } as const;
/** The session has no such rendition. */
export const NONE = { verdict: "none" } as const;

/** Call when a segment may have become whole. */
export function afterSegment(edge: EdgeParts, verdict: PartVerdict): PartVerdict {
  if (verdict.verdict !== "taken") return verdict;
  edge.onChange();
  edge.uploads.start();
  return verdict;
}
