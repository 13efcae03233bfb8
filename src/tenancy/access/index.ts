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
export {
  type AccessRestrictions,
  isDomainRule,
  isOpen,
  OPEN_RESTRICTIONS,
  refusedFor,
  type Rules,
} from "./restrictions.ts";
export { playbackIds } from "./tables.ts";
export { TOKEN_REFUSALS, type TokenPurpose, type TokenRefusal } from "./token.ts";
export { verifyToken } from "./verify-token.ts";
