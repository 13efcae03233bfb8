/** Client of the Sluice video platform, for Node 20 and later, browsers and Workers. See README.md. */
export type { components, paths } from "./api/api-types.ts";
export type { Credentials } from "./api/credentials.ts";
export { ApiError, ConnectionError, type FieldError, SluiceError } from "./api/errors.ts";
export type { Media, MediaEvent, PushMediaSettings } from "./api/types.ts";
export type { FollowOptions } from "./events/follow-events.ts";
export type { ImportFileName } from "./imports/import-file.ts";
export type { ImportList, ListType } from "./imports/list-file.ts";
export type { PlaybackUrls } from "./media/playback-urls.ts";
export { type PlaybackTokenOptions, signPlaybackToken } from "./media/sign-playback-token.ts";
export { type PlayableOptions, waitUntilPlayable } from "./media/wait-until-playable.ts";
export { MediaFailedError, type WaitOptions } from "./media/wait-until-ready.ts";
export { Sluice, type SluiceOptions } from "./sluice.ts";
export { sendFile, type SendOptions, type UploadFile, type UploadProgress } from "./upload/send-file.ts";
export type { CreatedUpload, UploadOptions } from "./upload/upload-file.ts";
export { type FileChunk, FileChangedError, type UploadSource } from "./upload/upload-source.ts";
export {
  isWebhookCheck,
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./webhooks/verify-webhook.ts";
