const RSA = {
  name: "RSASSA-PKCS1-v1_5",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
};
const PEM_LINE = 64; // RFC 7468 §2

/** Makes an RSA-2048 key pair. @returns both halves as PEM: SPKI and PKCS#8 */
export async function newKeyPair(): Promise<{ publicKey: string; privateKey: string }> {
  const pair = (await crypto.subtle.generateKey(RSA, true, ["sign", "verify"])) as CryptoKeyPair;
  const [spki, pkcs8] = (await Promise.all([
    crypto.subtle.exportKey("spki", pair.publicKey),
    crypto.subtle.exportKey("pkcs8", pair.privateKey),
  ])) as [ArrayBuffer, ArrayBuffer];
  return { publicKey: toPem("PUBLIC KEY", spki), privateKey: toPem("PRIVATE KEY", pkcs8) };
}

function toPem(label: string, der: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(der)));
  const lines = text.match(new RegExp(`.{1,${PEM_LINE}}`, "g")) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
