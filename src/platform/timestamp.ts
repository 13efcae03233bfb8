/** UTC with microseconds (media contract, Timestamps). */
export const toTimestamp = (time: Date): string => time.toISOString().replace("Z", "000Z");
