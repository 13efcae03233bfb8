import { type IngestWarning, MAX_INGEST_WARNINGS } from "../../../protocol/ingest-warning.ts";

/** What its gateways have found wrong with a session's media. */
export interface SessionWarnings {
  /** Of the connections before the current one. */
  earlier: IngestWarning[];
  /** Of the current connection. */
  current: IngestWarning[];
}

const NONE: SessionWarnings = { earlier: [], current: [] };

const keyOf = ({ code, message }: IngestWarning): string => `${code} ${message}`;

/** Which warnings there are, apart from their counts. */
export const kindsOfWarnings = (warnings: readonly IngestWarning[]): string =>
  warnings.map(keyOf).toSorted().join("\n");

/**
 * Those of all connections of the session, by their first occurrence. Beyond the bound, the oldest of earlier connections are left out:
 * those of the current one are what the broadcaster can mend.
 */
export function warningsOf({ earlier, current }: SessionWarnings = NONE): IngestWarning[] {
  return merged([...current, ...earlier.toReversed()], (a, b) => a + b)
    .slice(0, MAX_INGEST_WARNINGS)
    .toSorted((a, b) => a.since - b.since);
}

/**
 * The warnings of a session after a report of those of its current connection. Entries that the report lacks stay, and counts do not fall: an encoder
 * that crashed begins its list again.
 */
export function withReported(
  { earlier, current }: SessionWarnings = NONE,
  reported: readonly IngestWarning[],
): SessionWarnings {
  const clean = merged(
    reported.map((warning) => ({ ...warning, message: cleaned(warning.message) })),
    (a, b) => a + b,
  );
  return { earlier, current: merged([...current, ...clean], Math.max).slice(0, MAX_INGEST_WARNINGS) };
}

/** One entry for each code and message, in the order of their first ones. */
function merged(warnings: readonly IngestWarning[], count: (a: number, b: number) => number): IngestWarning[] {
  const byKey = new Map<string, IngestWarning>();
  for (const warning of warnings) {
    const known = byKey.get(keyOf(warning));
    byKey.set(
      keyOf(warning),
      known === undefined
        ? warning
        : { ...known, since: Math.min(known.since, warning.since), count: count(known.count, warning.count) },
    );
  }
  return [...byKey.values()];
}

/** One line of valid Unicode: gateways put names of the source into it. */
const cleaned = (message: string): string =>
  message
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
