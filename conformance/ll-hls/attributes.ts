/** Parses an attribute list (§4.2). Quotes are removed; the result is empty when the text is not an attribute list. */
export function readAttributes(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name, quoted, plain] of text.matchAll(/([A-Z0-9-]+)=(?:"([^"]*)"|([^",]*))(?:,|$)/g))
    found.set(name!, quoted ?? plain ?? "");
  return found;
}

/** A decimal number, or null. */
export function readNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

/** `n[@o]`: without an offset, the range follows the previous one in the same resource. */
export function readByteRange(text: string | undefined, follows: number): ByteRange | null {
  const [, length, offset] = /^(\d+)(?:@(\d+))?$/.exec(text ?? "") ?? [];
  return length === undefined
    ? null
    : { length: Number(length), offset: offset === undefined ? follows : Number(offset) };
}

export interface ByteRange {
  /** Bytes; null = to the end of the resource. */
  length: number | null;
  offset: number;
}

/** Identifies bytes by resource and range. */
export const placeOf = (uri: string, range: ByteRange | null): string =>
  range === null ? uri : `${uri} bytes ${range.offset}+${range.length ?? ""}`;
