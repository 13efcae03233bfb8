/** UTC with microseconds (contract/rest.md §1, Timestamps). */
export const toTimestamp = (time: Date): string => time.toISOString().replace("Z", "000Z");
