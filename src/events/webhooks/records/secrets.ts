/** Signing secrets of webhooks. src/platform/crypto/sealing.ts explains how they are stored. */
import { toBase64 } from "../../../../protocol/base64.ts";

const SECRET_BYTES = 32;

export {
  currentKeyId,
  isSealedWithCurrent,
  open as openSecret,
  seal as sealSecret,
  SealError,
} from "../../../platform/crypto/sealing.ts";

/** Padded standard Base64 of 32 random bytes: 44 characters. */
export const newSecret = (): string => toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
