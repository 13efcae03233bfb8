/** Checks the Bearer token of a request (RFC 6750 §2.1). */
import { isSameSecret } from "../../protocol/same-secret.ts";

/** @param secrets each of them is accepted */
export const isSecret = (authorization: string | undefined, secrets: readonly string[]): boolean =>
  secrets.some((secret) => isSameSecret(authorization ?? "", `Bearer ${secret}`));
