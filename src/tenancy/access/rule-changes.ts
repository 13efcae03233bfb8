/** Bodies that replace the rules of a playback ID for domains or user agents. Pure. */
import { z } from "@hono/zod-openapi";
import { advised } from "../../platform/http/hints/advice.ts";
import type { FieldProblem } from "../../platform/http/hints/field-problem.ts";
import { DomainRules, UserAgentRules, withoutEffect } from "./access-fields.ts";
import type { AccessRestrictions, Rules } from "./restrictions.ts";
import { type GivenRules, toRules } from "./to-rules.ts";

type Kind = keyof AccessRestrictions;
/** As a client sends it. */
type SentRules = GivenRules & { [kind in Kind]?: unknown };

const DESCRIPTION =
  "The rules are replaced as a whole: an absent `defaultPolicy` becomes `allow`, an absent list becomes empty. A body without any of these fields changes nothing";
const WRAPPED = z.unknown().optional().openapi({
  deprecated: true,
  description: "Ignored, with a warning. Rules that are wrapped in the name of the kind change nothing",
});

const isFlat = (body: SentRules): boolean =>
  body.defaultPolicy !== undefined || body.allow !== undefined || body.deny !== undefined;

/** Some clients wrap the rules. Such a body succeeds and changes nothing (media contract, access rules). */
function bodyOf<Body extends z.ZodObject>(kind: Kind, name: string, body: Body): Body {
  const ignored = `\`${kind}\` was ignored and changes nothing; send \`defaultPolicy\`, \`allow\` and \`deny\` at the top level instead`;
  return advised(body.openapi(name, { description: DESCRIPTION }), (sent) => [
    ...withoutEffect(sent),
    ...(sent[kind] === undefined ? [] : [{ field: kind, message: ignored }]),
  ]);
}

export const UpdateDomainRules = bodyOf(
  "domains",
  "UpdateDomainRules",
  z.object({ ...DomainRules.shape, domains: WRAPPED }),
);
export const UpdateUserAgentRules = bodyOf(
  "userAgents",
  "UpdateUserAgentRules",
  z.object({ ...UserAgentRules.shape, userAgents: WRAPPED }),
);

export const RulesRecord = z
  .object({ defaultPolicy: z.enum(["allow", "deny"]), allow: z.array(z.string()), deny: z.array(z.string()) })
  .openapi("AccessRules");

/** The rules that a body asks for; null = it has none, and changes nothing. */
export const readRules = (body: SentRules): Rules | null => (isFlat(body) ? toRules(body) : null);

/** Whether the rules were locked, and an absent default policy has opened them: the contract replaces the rules, with `allow` for an absent one. */
export const warningsOfChange = ({ defaultPolicy }: SentRules, before: Rules): FieldProblem[] =>
  defaultPolicy === undefined && before.defaultPolicy === "deny" ? [OPENED] : [];

const OPENED = {
  field: "defaultPolicy",
  message: "`defaultPolicy` is absent and became `allow`: it was `deny`; send it with every change to keep it",
};
