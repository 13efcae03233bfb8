import type { z } from "@hono/zod-openapi";
import type { Env } from "../../platform/env.ts";
import { OPEN_RESTRICTIONS, toRestrictions } from "../../tenancy/access/index.ts";
import { recordOf } from "../../platform/http/record.ts";
import type { CancelledUpload, UploadRecord } from "./schemas.ts";
import type { Upload } from "./repository.ts";
import type { UploadProgress, UploadStatus } from "./upload-calls.ts";
import { signedUploadUrl, URL_VALID_S } from "./upload-url.ts";

/** The record of one upload, as far as it has come. */
export function toState(env: Env, upload: Upload, { status, storedBytes, totalBytes }: UploadProgress) {
  const total = totalBytes === null ? {} : { totalBytes };
  return { ...toAnswer(env, upload, status), receivedBytes: storedBytes, ...total };
}

/** The record of answers, with the two names that the oldest clients read (media contract, difference g). */
export const toAnswer = <Status extends UploadStatus>(env: Env, upload: Upload, status: Status) => ({
  ...toRecord(env, upload, status),
  id: upload.id,
  mediaId: upload.id,
});

/** The record of events. Its playback IDs have no id (media contract, direct uploads). */
export function toRecord<Status extends UploadStatus>(
  env: Env,
  upload: Upload,
  status: Status,
): Omit<z.infer<typeof UploadRecord>, "status" | "id" | "mediaId"> & { status: Status } {
  const { id, corsOrigin, settings } = upload;
  return {
    uploadId: id,
    trial: false,
    status,
    url: signedUploadUrl(env, upload),
    timeout: URL_VALID_S,
    corsOrigin,
    pushMediaSettings: recordOf<z.infer<typeof UploadRecord>["pushMediaSettings"]>({
      playbackIds: [
        {
          accessPolicy: settings.accessPolicy,
          accessRestrictions: toRestrictions(settings.accessRestrictions) ?? { ...OPEN_RESTRICTIONS },
        },
      ],
      title: settings.title,
      creatorId: settings.creatorId,
      metadata: settings.metadata ?? {},
      mediaQuality: settings.mediaQuality,
      maxResolution: settings.maxResolution,
      sourceAccess: settings.sourceAccess ?? false,
      optimizeAudio: settings.optimizeAudio ?? false,
    }),
  };
}

/** The flat record of a cancelled upload. */
export function toCancelled(env: Env, upload: Upload) {
  const { id, corsOrigin, settings } = upload;
  const { title, creatorId, accessPolicy, maxResolution, metadata = {} } = settings;
  return recordOf<z.infer<typeof CancelledUpload>>({
    uploadId: id,
    trial: false,
    status: "cancelled" as const,
    url: signedUploadUrl(env, upload),
    timeout: URL_VALID_S,
    corsOrigin,
    maxResolution,
    accessPolicy,
    metadata,
    title,
    creatorId,
  });
}
