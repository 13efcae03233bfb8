import type { ArrivingPart, PartVerdict } from "../../media/live/origin-facts.ts";
import type { Written } from "../origin/origin-rpc.ts";
import type { EdgeParts } from "./parts.ts";
import { afterSegment, OVER } from "./verdicts.ts";

/** Stores a part before any playlist announces it. `by` is the connection that writes. */
export function putPart(edge: EdgeParts, arriving: ArrivingPart, bytes: Uint8Array, by: number): Written<PartVerdict> {
  if (!edge.mayWrite(by)) return OVER;
  const verdict = edge.index.add(arriving, bytes);
  if (arriving.isLast) return afterSegment(edge, verdict);
  if (verdict.verdict === "taken") edge.onChange();
  return verdict;
}
