import type { Captions } from "../../../media/captions/read-captions.ts";
import { timestamp } from "../../../media/captions/timestamps.ts";
import type { FieldProblem } from "../../../platform/http/hints/field-problem.ts";

/** Names captions that were left out of a text: the first ones, and how many others there are. Pure. */
export function skippedWarnings({ skipped, firstSkipped }: Pick<Captions, "skipped" | "firstSkipped">): FieldProblem[] {
  const messages = firstSkipped.map(({ startMs, why }) => {
    const which = startMs === null || startMs < 0 ? "a caption" : `the caption at ${timestamp(Math.round(startMs))}`;
    return `${which} was left out: ${why}`;
  });
  const others = skipped - firstSkipped.length;
  if (others > 0) messages.push(`${others} more ${others === 1 ? "caption was" : "captions were"} left out`);
  return messages.map((message) => ({ field: "body", message }));
}
