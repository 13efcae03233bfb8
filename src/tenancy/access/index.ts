export { PERMIT_FORM, permitExpiry, readPermit, signPermit } from "./permit.ts";
export {
  ACCESS_COLUMNS,
  type AccessRules,
  deletePlaybackIdIf,
  deletePlaybackIdsOf,
  insertPlaybackId,
  insertPlaybackIdIf,
  isOwnPlaybackId,
  type PlaybackId,
  playbackIdsOf,
  restrictPlaybackIdIf,
  type StreamPlaybackId,
  streamPlaybackIdsOf,
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
export { TOKEN_REFUSALS, type TokenRefusal } from "./token.ts";
export { verifyToken } from "./verify-token.ts";
