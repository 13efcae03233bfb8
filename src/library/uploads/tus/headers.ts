/** Headers of tus 1.0 (https://tus.io/protocols/resumable-upload). Pure. */

export const TUS_VERSION = "1.0.0";
export const TUS_EXTENSIONS = "creation,creation-defer-length,termination,expiration,checksum";
/** The names of the protocol, and of the runtime's digests. */
export const CHECKSUMS = { sha1: "SHA-1", sha256: "SHA-256", md5: "MD5" } as const;

/** A whole number of bytes, rounded beyond 2^53; null when the header is missing or malformed. */
export const bytesOf = (header: string | null | undefined): number | null =>
  header !== null && header !== undefined && /^\d{1,32}$/.test(header) ? Number(header) : null;

export interface Checksum {
  algorithm: keyof typeof CHECKSUMS;
  /** Base64. */
  digest: string;
}

/** `Upload-Checksum`; null when it is malformed or of an algorithm that is not offered. */
export function parseChecksum(header: string): Checksum | null {
  const [, algorithm, digest] = /^([a-z0-9]+) ([A-Za-z0-9+/]+={0,2})$/.exec(header.trim()) ?? [];
  if (algorithm === undefined || digest === undefined || !Object.hasOwn(CHECKSUMS, algorithm)) return null;
  return { algorithm: algorithm as Checksum["algorithm"], digest };
}

/** The pairs of `Upload-Metadata`. Values are Base64 of UTF-8; a key without one is empty. Null when it is malformed. */
export function parseMetadata(header: string | null): Record<string, string> | null {
  const pairs: [string, string][] = [];
  for (const pair of (header ?? "").split(",").map((text) => text.trim())) {
    if (pair === "") continue;
    const [key = "", value = "", ...rest] = pair.split(" ");
    const text = textOf(value);
    if (key === "" || rest.length > 0 || text === null) return null;
    pairs.push([key, text]);
  }
  return Object.fromEntries(pairs);
}

function textOf(base64: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
