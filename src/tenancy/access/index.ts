export {
  AccessRestrictions as AccessRestrictionFields,
  DrmConfigurationId,
  MediaPolicy,
  PlaybackResolution,
} from "./access-fields.ts";
export { deleteHoldsOf, holdIf, holdsOf, liftHoldsIf } from "./holds.ts";
export { PERMIT_FORM, permitExpiry, readPermit, signPermit } from "./permit.ts";
export {
  ACCESS_COLUMNS,
  type AccessRules,
  deletePlaybackIdIf,
  deletePlaybackIdsOf,
  findOwnPolicy,
  insertPlaybackId,
  insertPlaybackIdIf,
  type PlaybackId,
  playbackIdsOf,
  restrictPlaybackIdIf,
  UNRESTRICTED,
} from "./repository.ts";
export { type AccessRestrictions, isDomainRule, isOpen, OPEN_RESTRICTIONS, refusedFor } from "./restrictions.ts";
export { readRules, RulesRecord, UpdateDomainRules, UpdateUserAgentRules, warningsOfChange } from "./rule-changes.ts";
export { playbackHolds, playbackIds } from "./tables.ts";
export { TOKEN_REFUSALS, type TokenPurpose, type TokenRefusal } from "./token.ts";
export { stored, toRestrictions } from "./to-rules.ts";
export { verifyToken } from "./verify-token.ts";
