/** RFC 3339, UTC, nine fraction digits and so of fixed width: sorts as text (contract/events.md, envelope). */
export const eventTime = (ms: number): string => new Date(ms).toISOString().replace("Z", "000000Z");
