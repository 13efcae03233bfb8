import { z } from "@hono/zod-openapi";
import { PlaybackIdRecord } from "../../events/index.ts";
import {
  AccessRestrictions,
  advisedRules,
  DrmConfigurationId,
  DomainRules,
  MediaPolicy,
  PlaybackResolution,
  UserAgentRules,
} from "../assets/access-fields.ts";

export const CreatePlaybackId = z
  .object({
    accessPolicy: MediaPolicy,
    accessRestrictions: AccessRestrictions.optional(),
    resolution: PlaybackResolution.nullish(),
    drmConfigurationId: DrmConfigurationId,
  })
  .openapi("CreatePlaybackId");
export type CreatePlaybackId = z.infer<typeof CreatePlaybackId>;

/** The answer to a creation has `resolution` in any case (media contract, access rules). */
export const CreatedPlaybackId = PlaybackIdRecord.extend({ resolution: PlaybackResolution.nullable() }).openapi(
  "CreatedPlaybackId",
);

const PATCH = {
  description:
    "The rules are replaced as a whole: an absent `defaultPolicy` becomes `allow`, an absent list becomes empty. A body without any of these fields changes nothing",
};
export const UpdateDomainRules = advisedRules(DomainRules.openapi("UpdateDomainRules", PATCH));
export const UpdateUserAgentRules = advisedRules(UserAgentRules.openapi("UpdateUserAgentRules", PATCH));

export const RulesRecord = PlaybackIdRecord.shape.accessRestrictions.shape.domains.openapi("AccessRules");
