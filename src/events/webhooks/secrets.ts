/** Signing secrets of webhooks; see src/platform/crypto/sealing.ts for how they are kept. */
import { toBase64 } from "../../../protocol/base64.ts";

const SECRET_BYTES = 32;

export {
  currentKeyId,
  isSealedWithCurrent,
  open as openSecret,
  seal as sealSecret,
  SealError,
} from "../../platform/crypto/sealing.ts";

/** Canonical, padded standard Base64 of 32 random bytes: 44 characters, which every decoder takes. */
export const newSecret = (): string => toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
