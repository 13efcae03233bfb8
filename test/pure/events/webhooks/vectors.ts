/** Test vectors of signatures, also in docs/guides/webhooks.md. */

/** Base64 of the 32 bytes 0x00 … 0x1f. */
export const SECRET = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

export const SIGNED_TEXTS: [string, string][] = [
  ["an empty object", "{}"],
  ["non-ASCII text", '{"type":"asset.ready","data":{"title":"Grüße, 東京 🎬"}}'],
  ["a lone surrogate as an escape", String.raw`{"type":"asset.ready","data":{"title":"\ud800"}}`],
  ["1 MB", JSON.stringify({ type: "asset.ready", data: { metadata: "é".repeat(524_288) } })],
];

export const bytesOf = (text: string) => new TextEncoder().encode(text);

export const SIGNED_BODIES: [string, Uint8Array][] = [
  ...SIGNED_TEXTS.map(([name, text]): [string, Uint8Array] => [name, bytesOf(text)]),
  ["no text at all", new Uint8Array([0x00, 0xff, 0xfe, 0x0a, 0x0d])],
  ["nothing", new Uint8Array(0)],
];
