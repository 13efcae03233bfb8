/** Metadata of a segment's object in R2: the version of the init segment that it needs. Encryption reads its codec configuration. */

export const initVersionMetadata = (version: number): Record<string, string> => ({ initVersion: String(version) });

/** Null for objects from before there was such metadata. */
export function initVersionNamed(metadata: Record<string, string> | undefined): number | null {
  const version = Number.parseInt(metadata?.["initVersion"] ?? "", 10);
  return Number.isNaN(version) ? null : version;
}
