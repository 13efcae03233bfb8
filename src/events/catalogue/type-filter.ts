import { nearestName } from "../../../protocol/nearest-name.ts";
import { EVENT_KINDS, type EventType } from "./catalogue.ts";

/** A pattern is `*`, a name in either naming, or a prefix of names that ends in `.*`. */
export type CheckedPattern = { ok: true; types: EventType[] } | { ok: false; message: string; hint: string };

/** The patterns that match every kind, also those of later catalogues. */
export const ALL_TYPES = ["*"] as const;

/** Other names in the contract's texts, which filters take. Events are sent with the first. */
const ALIASES: Partial<Record<EventType, string>> = {
  "video.mediaAI.namedEntities.ready": "video.mediaAI.named-entities.ready",
};
const namesOf = ({ type, videoType }: { type: EventType; videoType: string }): string[] => {
  const alias = ALIASES[type];
  return alias === undefined ? [type, videoType] : [type, videoType, alias];
};

/** Whether a pattern matches a kind with these names. Names are case-sensitive. */
function matches(pattern: string, names: readonly string[]): boolean {
  if (pattern === "*") return true;
  if (!pattern.endsWith(".*")) return names.includes(pattern);
  const prefix = pattern.slice(0, -1);
  return names.some((name) => name.startsWith(prefix));
}

/**
 * The kinds that a pattern matches, by the service's names, sorted. A name may match several kinds: `video.media.ready` is the `video`
 * name of both `asset.ready` and `live_stream.recording.ready`.
 *
 * @returns empty when the pattern is malformed or matches nothing
 */
export const resolveTypes = (pattern: string): EventType[] =>
  EVENT_KINDS.filter((kind) => matches(pattern, namesOf(kind)))
    .map(({ type }) => type)
    .sort();

/** `message` completes a sentence that starts with the field's name. */
export function checkTypePattern(pattern: string): CheckedPattern {
  const types = resolveTypes(pattern);
  if (types.length > 0) return { ok: true, types };
  if (pattern.slice(0, -1).includes("*") || /[^.]\*$/.test(pattern))
    return refused(pattern, 'takes "*" alone or at the end of a prefix, after a dot, as in "video.media.*"');
  return refused(pattern, pattern.endsWith("*") ? "matches no kind of event" : "is not a kind of event");
}

function refused(pattern: string, message: string): CheckedPattern {
  const nearest = nearestName(pattern, pattern.endsWith("*") ? PREFIXES : NAMES);
  const advice = nearest === null ? "GET /v1/event-types lists them" : `did you mean \`${nearest}\`?`;
  return { ok: false, message, hint: `${message}; ${advice}` };
}

const NAMES = [...new Set(EVENT_KINDS.flatMap(namesOf))];
const PREFIXES = [...new Set(NAMES.map((name) => name.slice(0, name.lastIndexOf(".") + 1)))].map((one) => `${one}*`);

/** @param patterns empty = every kind, as stored by releases before 2026-11-22 */
export function matchesTypes(patterns: readonly string[], serviceType: string): boolean {
  const kind = EVENT_KINDS.find(({ type }) => type === serviceType);
  const names = kind === undefined ? [serviceType] : namesOf(kind);
  return patterns.length === 0 || patterns.some((pattern) => matches(pattern, names));
}

/**
 * The list of kinds that a webhook stores for the fan-out in SQL. It depends on the catalogue: store `CATALOGUE_VERSION` with it, and
 * resolve the patterns again when that changes.
 *
 * @param patterns checked; a pattern that matches nothing adds nothing
 * @returns null = every kind, also of later catalogues; otherwise the service's names, sorted and unique
 */
export function expandPatterns(patterns: readonly string[]): EventType[] | null {
  if (patterns.length === 0 || patterns.includes("*")) return null;
  return [...new Set(patterns.flatMap(resolveTypes))].sort();
}
