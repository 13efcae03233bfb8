import type { z } from "@hono/zod-openapi";
import { nearestName } from "../../../protocol/nearest-name.ts";
import { Problem } from "./problems.ts";
import { type UnknownMember, unknownFieldsWhere } from "./unknown-fields.ts";
import { validationProblem } from "./validation.ts";

/** Who may play, in bodies of media and streams, and of the domains and user agents of a playback ID. */
const POLICIES = ["accessPolicy", "mediaPolicy", "defaultPolicy"];
/** What other services call it, in lower case and without `_`. */
const FOREIGN = new Set([
  "private",
  "isprivate",
  "visibility",
  "privacy",
  "playbackpolicy",
  "playbackpolicies",
  "advancedplaybackpolicies",
  "policy",
  "signed",
  "issigned",
  "requiresignedurls",
  "allowedorigins",
  "drm",
  "encrypted",
  "encryption",
  "protected",
  "isprotected",
]);
/** Flags of other services that are restrictive when they are `false`. */
const FOREIGN_PUBLIC = new Set(["public", "ispublic"]);
/** What everybody gets who gives no policy. */
const OPEN: ReadonlySet<unknown> = new Set(["public", "allow", false, null]);

/**
 * Other unknown fields are ignored with a warning. A policy that is misspelt or in the wrong place is not: what was asked to be private would
 * be public.
 *
 * @throws {Problem} validation_failed, which also names what else is wrong
 */
export function requirePolicyInPlace(schema: z.ZodType, body: unknown): void {
  const found = unknownFieldsWhere(schema, body, isRestriction);
  if (found.length === 0) return;
  const issues = schema.safeParse(body).error?.issues ?? [];
  const { fields, unknown } = validationProblem({ issues }, { data: body, schema });
  const misplaced = found.map(({ field, message }) => {
    const isMeantKnown = message.includes("; ");
    return {
      field,
      message: "is invalid",
      hint: isMeantKnown
        ? message
        : `${message}; who may play is said by \`accessPolicy\` of a media or stream, and by \`defaultPolicy\` of a playback ID's rules`,
    };
  });
  throw new Problem("validation_failed", "validation failed", {
    fields: [...fields, ...misplaced],
    unknown: unknown.filter(({ field }) => found.every((one) => one.field !== field)),
  });
}

/** Objects inside an unknown field, in which a policy is looked for. */
const MAX_DEPTH = 3;

/** The members of objects that consist of rules alone. */
const RULE_OBJECTS = [["defaultPolicy"], ["domains", "userAgents"]];

/** What is unknown beside rules is a rule that is misspelt or not available. */
const isRestriction = ({ fields, name, value }: UnknownMember): boolean => {
  const isBesideRules = RULE_OBJECTS.some((members) => members.every((one) => Object.hasOwn(fields, one)));
  return isRestrictive(name, value) || (isBesideRules && !permitsAll(value));
};

function permitsAll(value: unknown, depth = 0): boolean {
  if (OPEN.has(value)) return true;
  if (typeof value !== "object" || value === null) return false;
  return depth < MAX_DEPTH && Object.values(value).every((inner) => permitsAll(inner, depth + 1));
}

/** Whether a field, or one inside it, limits who may play. */
function isRestrictive(name: string, value: unknown, depth = 0): boolean {
  const plain = name.toLowerCase().replaceAll("_", "");
  if (FOREIGN.has(plain)) return ![value].flat().every((one) => OPEN.has(one));
  if (FOREIGN_PUBLIC.has(plain)) return value === false;
  if (Array.isArray(value)) return name === "deny" && value.length > 0;
  if (typeof value === "object" && value !== null)
    return (
      depth < MAX_DEPTH && Object.entries(value).some(([inner, member]) => isRestrictive(inner, member, depth + 1))
    );
  return typeof value === "string" && !OPEN.has(value) && nearestName(name, POLICIES) !== null;
}
