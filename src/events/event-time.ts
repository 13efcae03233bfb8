/** RFC 3339, UTC, nine fraction digits: a fixed width, so that it sorts as text (media contract, Envelope). */
export const eventTime = (ms: number): string => new Date(ms).toISOString().replace("Z", "000000Z");
