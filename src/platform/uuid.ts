/** The text form of a UUID in lower case, as a part of regular expressions. */
export const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

const WHOLE = new RegExp(`^${UUID}$`);

/** Whether a text is a UUID in lower case. */
export const isUuid = (text: string): boolean => WHOLE.test(text);
