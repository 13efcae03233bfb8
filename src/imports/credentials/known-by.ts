const SHOWN = 4;
/** A shorter value would be shown to a large part. */
const LEAST_LENGTH = 12;

/**
 * What of credentials is shown to their owner: which fields are set, and the last characters of the one that is an id: its name ends in `Id`, such as
 * `tokenId` and `accessKeyId`. Pure.
 */
export function knownBy(credentials: object): { fields: string[]; ending: string | null } {
  const set = Object.entries(credentials).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const [, id] = set.find(([name, value]) => name.endsWith("Id") && typeof value === "string") ?? [];
  const isLong = typeof id === "string" && id.length >= LEAST_LENGTH;
  return { fields: set.map(([name]) => name).toSorted(), ending: isLong ? id.slice(-SHOWN) : null };
}
