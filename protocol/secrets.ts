/**
 * Deployment secrets read by more than one process: `JOB_SECRET` and `ENCODER_SECRET`. Each is one secret or, during rotation, a
 * comma-separated list: the first is used, all are accepted.
 */

import { z } from "zod";

/** 128 bits in hex; `openssl rand -base64 32` produces 44 characters. */
const MIN_SECRET_CHARACTERS = 32;
/** Limit for rotation: each additional secret slows down every rejection. */
const MAX_SECRETS = 4;

/** The message names the variable and the problem, never the value. */
export class UnusableSecret extends Error {
  override readonly name = "UnusableSecret";
}

/**
 * @returns at least one secret; the first is the one to use
 * @throws {UnusableSecret} when it is missing, too short, or holds more than four
 */
export function secretList(name: string, text: string | undefined): [string, ...string[]] {
  if (text === undefined || text === "") throw new UnusableSecret(`${name} is missing`);
  const secrets = text.split(",").map((secret) => secret.trim());
  if (secrets.length > MAX_SECRETS) throw new UnusableSecret(`${name} holds more than ${MAX_SECRETS} secrets`);
  const short = secrets.find(({ length }) => length < MIN_SECRET_CHARACTERS);
  if (short !== undefined)
    throw new UnusableSecret(
      `${name} holds a secret of ${short.length} characters; it needs ${MIN_SECRET_CHARACTERS} or more`,
    );
  return secrets as [string, ...string[]];
}

/** Schema of an environment variable with such a list. */
export const secretVariable = (name: string) =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      try {
        return secretList(name, text);
      } catch (error) {
        context.addIssue({ code: "custom", message: (error as UnusableSecret).message });
        return z.NEVER;
      }
    });
