import type { PartVerdict } from "../../media/live/origin-facts.ts";
import type { Written } from "../origin/origin-rpc.ts";
import type { EdgeParts } from "./parts.ts";
import { afterSegment, OVER } from "./verdicts.ts";

/** Records that the remaining parts of a segment are lost. */
export function putGap(edge: EdgeParts, rendition: string, msn: number, by: number): Written<PartVerdict> {
  return edge.mayWrite(by) ? afterSegment(edge, edge.index.gap(rendition, msn)) : OVER;
}
