import type { PartVerdict } from "../../media/live/origin-facts.ts";
import type { Written } from "../origin/origin-rpc.ts";
import type { EdgeParts } from "./parts.ts";
import { afterSegment, OVER } from "./verdicts.ts";

/** Records that the encoder drops a rung. Its last segment is the one before `fromMsn`. */
export function dropRung(edge: EdgeParts, rendition: string, fromMsn: number, by: number): Written<PartVerdict> {
  return edge.mayWrite(by) ? afterSegment(edge, edge.index.drop(rendition, fromMsn)) : OVER;
}
