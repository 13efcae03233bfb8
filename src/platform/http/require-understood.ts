import type { z } from "@hono/zod-openapi";
import { isMisplacedPolicy } from "./hints/misplaced-policy.ts";
import { isSwitchOff } from "./hints/misspelt-switch.ts";
import { Problem } from "./problems.ts";
import { unknownFieldsWhere } from "./hints/unknown-fields.ts";
import { validationProblem } from "./validation.ts";

/**
 * Other unknown fields are ignored with a warning. These are not, because the default is the opposite of what was asked for: what was asked to
 * be private would be public, and what was asked to be off would be on.
 *
 * @throws {Problem} validation_failed, which also names what else is wrong
 */
export function requireUnderstood(schema: z.ZodType, body: unknown): void {
  const policies = problemsOf(schema, body, isMisplacedPolicy, POLICY_HINT);
  const switches = problemsOf(schema, body, (member) => !isMisplacedPolicy(member) && isSwitchOff(member), "");
  const refused = [...policies, ...switches];
  if (refused.length === 0) return;
  const issues = schema.safeParse(body).error?.issues ?? [];
  const { fields, unknown } = validationProblem({ issues }, { data: body, schema });
  throw new Problem("validation_failed", "validation failed", {
    fields: [...fields, ...refused],
    unknown: unknown.filter(({ field }) => refused.every((one) => one.field !== field)),
  });
}

const POLICY_HINT =
  "; who may play is said by `accessPolicy` of a media or stream, and by `defaultPolicy` of a playback ID's rules";

/** @param fallback the end of the hint when no known name is near */
function problemsOf(
  schema: z.ZodType,
  body: unknown,
  isMeant: Parameters<typeof unknownFieldsWhere>[2],
  fallback: string,
): { field: string; message: string; hint: string }[] {
  return unknownFieldsWhere(schema, body, isMeant).map(({ field, message }) => ({
    field,
    message: "is invalid",
    hint: message.includes("; ") ? message : message + fallback,
  }));
}
