import { editDistance, isSameName } from "../../../../protocol/nearest-name.ts";
import type { FieldProblem } from "./field-problem.ts";

/** Shorter names are like too many others by chance. */
const MIN_LENGTH = 5;
const MAX_DISTANCE = 2;

/** The parameters that are known under another spelling. Others are no problem: players and caches add their own. */
export function misspeltParameters(query: URLSearchParams, known: readonly string[]): FieldProblem[] {
  return [...new Set(query.keys())].flatMap((name) => {
    const meant = known.includes(name) ? undefined : meantBy(name, known);
    return meant === undefined ? [] : [{ field: name, message: "is invalid", hint: `did you mean ${meant}?` }];
  });
}

function meantBy(name: string, known: readonly string[]): string | undefined {
  const near = known.map((one) => ({ one, distance: distanceOf(name, one) }));
  return near.filter(({ distance }) => distance <= MAX_DISTANCE).sort((a, b) => a.distance - b.distance)[0]?.one;
}

function distanceOf(name: string, known: string): number {
  if (isSameName(name, known)) return 0;
  const [shorter, longer] = [name.length, known.length].sort((a, b) => a - b) as [number, number];
  if (shorter < MIN_LENGTH || longer - shorter > MAX_DISTANCE) return Infinity;
  return editDistance(name.toLowerCase(), known.toLowerCase());
}
