/** Policies in a request that are misspelt or in the wrong place. Pure. */
import { nearestName } from "../../../../protocol/nearest-name.ts";
import type { UnknownMember } from "./unknown-fields.ts";

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

/** Objects inside an unknown field, in which a policy is looked for. */
const MAX_DEPTH = 3;

/** The members of objects that consist of rules alone. */
const RULE_OBJECTS = [["defaultPolicy"], ["domains", "userAgents"]];

/** Whether an unknown field limits who may play. What is unknown beside rules is a rule that is misspelt or not available. */
export const isMisplacedPolicy = ({ fields, name, value }: UnknownMember): boolean => {
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
