/** A row as its format has it, not checked: names with values, or why there are none. */
export type RawRow = { fields: [name: string, value: unknown][] } | { message: string };

/** Bytes, or characters of text: a title of 10,000 characters and thousands of captions fit. It bounds what is in memory. */
export const MAX_ROW_LENGTH = 256 * 1024;

export const TOO_LONG = `is longer than ${MAX_ROW_LENGTH / 1024} KiB`;
