/** `Content-Range` of the resumable protocol (media contract, resumable uploads). Pure. */

export type SentRange =
  /** The length of the body is stated by Content-Length alone: the whole file. */
  | { kind: "whole" }
  /** First and last byte, both included. */
  | { kind: "chunk"; first: number; last: number; totalBytes: number | null }
  /** No bytes: the client asks what is stored. */
  | { kind: "probe"; totalBytes: number | null };

/** @returns null when the header is malformed or contradicts itself */
export function parseSentRange(header: string | null): SentRange | null {
  if (header === null) return { kind: "whole" };
  const match = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)$/.exec(header.trim());
  if (match === null) return null;
  const [, first, last, total] = match;
  const totalBytes = total === "*" ? null : Number(total);
  if (first === undefined) return { kind: "probe", totalBytes };
  const chunk = { kind: "chunk" as const, first: Number(first), last: Number(last), totalBytes };
  if (chunk.last < chunk.first || (totalBytes !== null && chunk.last >= totalBytes)) return null;
  return chunk;
}
