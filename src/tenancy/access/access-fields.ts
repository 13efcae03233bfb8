/** Fields of requests that say who may play a media or a stream. */
import { z } from "@hono/zod-openapi";
import { advised } from "../../platform/http/hints/advice.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import { isDomainRule } from "./restrictions.ts";

const MAX_RULES = 50;

const Domain = z
  .string()
  .max(255)
  .refine(
    isDomainRule,
    hinted("is invalid", "must be a host name with a dot, such as `example.com` or `*.example.com`"),
  );
const UserAgent = z.string().min(1).max(255);

const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0;

/** The list that the default policy leaves without effect (media contract, access rules). */
export function withoutEffect({ defaultPolicy = "allow", allow, deny }: Readonly<Record<string, unknown>>) {
  if (defaultPolicy === "allow" && isFilled(allow)) return [{ field: "allow", message: ALLOW_WITHOUT_EFFECT }];
  if (defaultPolicy === "deny" && isFilled(deny)) return [{ field: "deny", message: DENY_WITHOUT_EFFECT }];
  return [];
}
const ALLOW_WITHOUT_EFFECT =
  "`allow` has no effect under the default policy `allow`: what it does not name may play, too; send `defaultPolicy` `deny` to permit only these";
const DENY_WITHOUT_EFFECT = "`deny` has no effect under the default policy `deny`: only what `allow` names may play";

const rulesOf = <Entry extends z.ZodType<string>>(entry: Entry, what: string) =>
  z.object({
    defaultPolicy: z
      .enum(["allow", "deny"])
      .optional()
      .openapi({ description: "For what no rule names", default: "allow" }),
    allow: z
      .array(entry)
      .max(MAX_RULES)
      .optional()
      .openapi({ description: `${what} that may play under \`deny\`` }),
    deny: z
      .array(entry)
      .max(MAX_RULES)
      .optional()
      .openapi({ description: `${what} that may not play under \`allow\`` }),
  });

/** Warned of a list without effect. */
export const DomainRules = advised(rulesOf(Domain, "Host names").openapi("DomainRules"), withoutEffect);
export const UserAgentRules = advised(
  rulesOf(UserAgent, "Parts of user agents").openapi("UserAgentRules"),
  withoutEffect,
);

export const AccessRestrictions = z
  .object({ domains: DomainRules.optional(), userAgents: UserAgentRules.optional() })
  .openapi("AccessRestrictions");

export const MediaPolicy = z.enum(["public", "private", "drm"]).openapi({
  description:
    "`public`: everybody who has the playback ID may play it; `private`: with a token of a signing key; `drm`: with a token, encrypted, and with a licence of a key system",
  example: "public",
});

export const DrmConfigurationId = z
  .uuid()
  .nullish()
  .openapi({ description: "For `drm`; absent = the workspace's oldest DRM configuration" });

export const PlaybackResolution = z
  .enum(["480p", "720p", "1080p", "1440p", "2160p"])
  .openapi({ description: "The largest rung that the playback ID offers; absent = all" });
