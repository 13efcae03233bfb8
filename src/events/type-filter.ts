import { EVENT_KINDS, type EventType } from "./catalogue.ts";

/** What a filter may say: `*`, a name in either naming, or a prefix of names that ends in `.*`. */
export type CheckedPattern = { ok: true; types: EventType[] } | { ok: false; message: string };

/** Whether a pattern stands for a kind that goes by these names. Names are case-sensitive. */
function standsFor(pattern: string, names: readonly string[]): boolean {
  if (pattern === "*") return true;
  if (!pattern.endsWith(".*")) return names.includes(pattern);
  const prefix = pattern.slice(0, -1);
  return names.some((name) => name.startsWith(prefix));
}

/**
 * The kinds that a pattern stands for, by the service's names, sorted. One name may stand for several kinds:
 * `video.media.ready` is what both `asset.ready` and `live_stream.recording.ready` are called by published receivers.
 *
 * @returns empty when the pattern is malformed or matches nothing
 */
export const resolveTypes = (pattern: string): EventType[] =>
  EVENT_KINDS.filter(({ type, videoType }) => standsFor(pattern, [type, videoType]))
    .map(({ type }) => type)
    .sort();

/** `message` completes a sentence that starts with the field's name, in plain words. */
export function checkTypePattern(pattern: string): CheckedPattern {
  const types = resolveTypes(pattern);
  if (types.length > 0) return { ok: true, types };
  if (pattern.slice(0, -1).includes("*") || /[^.]\*$/.test(pattern))
    return { ok: false, message: 'takes "*" alone or at the end of a prefix, after a dot, as in "video.media.*"' };
  if (pattern.endsWith("*")) return { ok: false, message: "is the prefix of no kind of event" };
  return { ok: false, message: "is no kind of event" };
}

/** @param patterns empty = every kind */
export function matchesTypes(patterns: readonly string[], serviceType: string): boolean {
  const videoType = EVENT_KINDS.find(({ type }) => type === serviceType)?.videoType ?? serviceType;
  return patterns.length === 0 || patterns.some((pattern) => standsFor(pattern, [serviceType, videoType]));
}

/**
 * The list that a webhook stores for SQL to look into. It is as old as the catalogue that it was made from:
 * keep `CATALOGUE_VERSION` beside it and expand again when that has changed.
 *
 * @param patterns checked ones; those that stand for nothing add nothing
 * @returns null = every kind, also of later catalogues; otherwise the service's names, sorted, each once
 */
export function expandPatterns(patterns: readonly string[]): EventType[] | null {
  if (patterns.length === 0 || patterns.includes("*")) return null;
  return [...new Set(patterns.flatMap(resolveTypes))].sort();
}
