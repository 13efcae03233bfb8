import { z } from "zod";

const MAX_LENGTH = 100;
const Name = z
  .string()
  .max(MAX_LENGTH)
  .regex(/^[\x21-\x7e]+$/)
  .optional()
  .catch(undefined);
const Answer = z.object({ model: Name, system_fingerprint: Name });

/**
 * Which version of a model has answered, by what its answer says: the name of a snapshot, else the fingerprint of the system, else the version of the API. Pure.
 *
 * @param asked the name of the model that was asked for, which says nothing more when it is repeated
 * @param header `openai-version` of the answer
 * @returns null when it does not say
 */
export function versionOf(body: unknown, { asked, header = null }: { asked: string; header?: string | null }) {
  const { model, system_fingerprint: fingerprint } = Answer.catch({
    model: undefined,
    system_fingerprint: undefined,
  }).parse(body);
  const snapshot = model === asked ? undefined : model;
  return snapshot ?? fingerprint ?? Name.parse(header) ?? null;
}
