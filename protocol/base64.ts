/** Base64 and base64url (RFC 4648 §4 and §5) for all runtimes of Sluice. Base64url is written without padding. */

export const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Null when the text is not base64. The runtime's error is discarded, because it may quote the text, which may be a secret. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Null when the text is not base64url. */
export const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> | null =>
  fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
