/** Bodies that replace the rules of a playback ID for domains or user agents. Pure. */
import { z } from "@hono/zod-openapi";
import { advised } from "../../platform/http/hints/advice.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import type { FieldProblem } from "../../platform/http/hints/field-problem.ts";
import { DomainRules, UserAgentRules, withoutEffect } from "./access-fields.ts";
import type { AccessRestrictions, Rules } from "./restrictions.ts";
import { type GivenRules, toRules } from "./to-rules.ts";

type Kind = keyof AccessRestrictions;
/** As a client sends it: flat, or wrapped in the name of the kind. */
type SentRules = GivenRules & { [kind in Kind]?: GivenRules | undefined };

const DESCRIPTION =
  "The rules are replaced as a whole: an absent `defaultPolicy` becomes `allow`, an absent list becomes empty. A body without any of these fields changes nothing";
const WRAPPED = {
  deprecated: true,
  description: "For clients that wrap the rules: they are taken as if they were flat, with a warning",
};

const isFlat = (body: SentRules): boolean =>
  body.defaultPolicy !== undefined || body.allow !== undefined || body.deny !== undefined;

/** Clients send both forms (media contract, access rules), so wrapped rules are understood too. Both in one body are refused. */
function bodyOf<Body extends z.ZodObject>(kind: Kind, name: string, body: Body): Body {
  const isOneForm = (sent: SentRules) => sent[kind] === undefined || !isFlat(sent);
  const message = hinted("is invalid", "must be absent beside flat rules");
  const refined = body.refine((sent) => isOneForm(sent as SentRules), { path: [kind], ...message });
  const flatForm = `\`${kind}\` was taken as the rules; send \`defaultPolicy\`, \`allow\` and \`deny\` at the top level instead`;
  return advised(refined.openapi(name, { description: DESCRIPTION }), (sent) => [
    ...withoutEffect(sent),
    ...(sent[kind] === undefined ? [] : [{ field: kind, message: flatForm }]),
  ]);
}

export const UpdateDomainRules = bodyOf(
  "domains",
  "UpdateDomainRules",
  z.object({ ...DomainRules.shape, domains: DomainRules.optional().openapi(WRAPPED) }),
);
export const UpdateUserAgentRules = bodyOf(
  "userAgents",
  "UpdateUserAgentRules",
  z.object({ ...UserAgentRules.shape, userAgents: UserAgentRules.optional().openapi(WRAPPED) }),
);

export const RulesRecord = z
  .object({ defaultPolicy: z.enum(["allow", "deny"]), allow: z.array(z.string()), deny: z.array(z.string()) })
  .openapi("AccessRules");

/** The rules that a body asks for; null = it has none, and changes nothing. */
export function readRules(body: SentRules, kind: Kind): Rules | null {
  const given = body[kind] ?? body;
  return isFlat(given) ? toRules(given) : null;
}

/** Whether the rules were locked, and an absent default policy has opened them: the contract replaces the rules, with `allow` for an absent one. */
export function warningsOfChange(body: SentRules, kind: Kind, before: Rules): FieldProblem[] {
  const isAbsent = (body[kind] ?? body).defaultPolicy === undefined;
  return isAbsent && before.defaultPolicy === "deny" ? [OPENED] : [];
}

const OPENED = {
  field: "defaultPolicy",
  message: "`defaultPolicy` is absent and became `allow`: it was `deny`; send it with every change to keep it",
};
