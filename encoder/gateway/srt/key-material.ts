/** Whether a caller's key material was wrapped with a passphrase (draft-sharabayko-srt §3.2.2, §6.1.4). */
import { createDecipheriv, pbkdf2 } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(pbkdf2);
const FIXED_BYTES = 16;
const SIGN = 0x2029;
const ROUNDS = 2048;
const KEY_BYTES = new Set([16, 24, 32]);
const WRAP_IV = Buffer.alloc(8, 0xa6); // RFC 3394 §2.2.3.1

/** Unwrapping fails with any other passphrase. Returns false for malformed material. */
export async function isWrappedWith(material: Buffer, passphrase: string): Promise<boolean> {
  if (material.length < FIXED_BYTES || material.readUInt16BE(1) !== SIGN) return false;
  const saltEnd = FIXED_BYTES + material[14]! * 4;
  const keyBytes = material[15]! * 4;
  const wrapped = material.subarray(saltEnd);
  const keys = (wrapped.length - 8) / keyBytes; // one, or an even and an odd one
  if (!KEY_BYTES.has(keyBytes) || saltEnd < FIXED_BYTES + 8 || (keys !== 1 && keys !== 2)) return false;
  const wrappingKey = await derive(passphrase, material.subarray(saltEnd - 8, saltEnd), ROUNDS, keyBytes, "sha1");
  try {
    const decipher = createDecipheriv(`id-aes${keyBytes * 8}-wrap`, wrappingKey, WRAP_IV);
    decipher.update(wrapped);
    decipher.final();
    return true;
  } catch {
    return false;
  }
}
