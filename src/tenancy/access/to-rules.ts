import type { z } from "@hono/zod-openapi";
import type { AccessRestrictions, DomainRules } from "./access-fields.ts";
import { type AccessRestrictions as Restrictions, isOpen, type Rules } from "./restrictions.ts";

export type GivenRules = z.infer<typeof DomainRules>;

/** Rules as requested; absent fields have their defaults. */
export const toRules = ({ defaultPolicy, allow, deny }: GivenRules): Rules => ({
  defaultPolicy: defaultPolicy ?? "allow",
  allow: allow ?? [],
  deny: deny ?? [],
});

/** The column of restrictions as requested. */
export const toRestrictions = (given: z.infer<typeof AccessRestrictions> | undefined): Restrictions | null =>
  stored({ domains: toRules(given?.domains ?? {}), userAgents: toRules(given?.userAgents ?? {}) });

/** Null for rules that are the defaults, so that playback has nothing to evaluate. */
export const stored = (restrictions: Restrictions): Restrictions | null =>
  Object.values(restrictions).every((rules: Rules) => isOpen(rules) && rules.allow.length === 0) ? null : restrictions;
