import { settingsOf } from "../../ai/settings/index.ts";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { openDatabase } from "../../platform/database.ts";
import { successWith } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import { requireFilesWithoutDrm } from "../assets/index.ts";
import { uploadedSourceUrl } from "../sources/upload-address.ts";
import { planInsights } from "../insights/store/orders.ts";
import { startInsights } from "../assets/start-insights.ts";
import { insertInsights, newInsight } from "../insights/store/repository.ts";
import { startTracks } from "../assets/start-tracks.ts";
import { isEdited } from "../assets/repository.ts";
import { uploadedAsset } from "../assets/uploaded-asset.ts";
import { newTracks } from "../tracks/store/new-track.ts";
import { insertTracks } from "../tracks/store/repository.ts";
import { trackEvent } from "../tracks/store/to-track.ts";
import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { keySystemsFor } from "../../tenancy/drm/index.ts";
import { commitWithinLimits } from "../../tenancy/limits/index.ts";
import type { Env } from "../../platform/env.ts";
import { uploadPageUrl } from "./upload-page-url.ts";
import { insertUpload, toUpload, type Upload, type UploadRow } from "./repository.ts";
import type { CreateUpload } from "./schemas.ts";
import { requireInputs, UploadSettings } from "./settings.ts";
import { toAnswer } from "./to-record.ts";
import { uploadMachine } from "./upload-calls.ts";
import { uploadEvent } from "./upload-event.ts";

/**
 * Records an upload and its media, with `video.media.upload`, and hands the upload to its machine. The tracks of its inputs are prepared at once.
 *
 * @throws {Problem} mp4_support_with_drm, duplicate_language_name, upload_limit_reached, media_limit_reached, storage_limit_reached,
 *   validation_failed, no_drm_configuration
 */
export async function createUpload(
  { corsOrigin, pushMediaSettings, tusMetadata }: CreateUpload & { tusMetadata?: string },
  { env, workspaceId, publicUrl, now, after, keep }: CreateContext,
) {
  const db = openDatabase(env.DB);
  const settings = pushMediaSettings ?? UploadSettings.parse({});
  requireFilesWithoutDrm(settings);
  const id = crypto.randomUUID();
  const inputs = requireInputs(settings, uploadedSourceUrl(id), allowsPrivateNetwork(env));
  const keySystems = await keySystemsFor(db, workspaceId, settings, "pushMediaSettings.drmConfigurationId");
  const row: UploadRow = {
    id,
    workspaceId,
    playbackId: crypto.randomUUID(),
    corsOrigin,
    settings: {
      ...settings,
      ...(keySystems === null ? {} : { keySystems }),
      ...(inputs.montage === null ? {} : { montage: inputs.montage }),
      ...(inputs.watermark === null ? {} : { watermark: inputs.watermark }),
      ...(tusMetadata === undefined ? {} : { tusMetadata }),
    },
    status: "waiting",
    fileBytes: 0,
    publicUrl,
    createdAt: now,
    updatedAt: now,
  };
  const upload = toUpload(row);
  const answer = successWith({
    playback_id: upload.playbackId,
    page_url: await uploadPageUrl(env, upload),
    data: toAnswer(env, upload, "waiting"),
  });
  const created = { id: upload.id, answer };
  const when = () => ({ id: crypto.randomUUID(), atMs: now.getTime() });
  const { asset, inserts } = uploadedAsset(db, upload, now); // a client may read and change the media before its file is there
  const aiSettings = await settingsOf(db, workspaceId);
  const planned = planInsights(settings, inputs.tracks, aiSettings);
  const tracks = newTracks(planned.tracks, { assetId: upload.id, isEdited: isEdited(asset) }, now);
  const insights = planned.requests.map((one) => newInsight(one, { assetId: id, workspaceId }, now));
  const events = [
    uploadEvent(env, "video.media.upload", upload, when()),
    ...tracks.map((track) => trackEvent("created", track, workspaceId, when())),
  ];
  const statements = [
    insertUpload(db, row),
    ...inserts,
    ...insertTracks(db, tracks),
    ...insertInsights(db, insights),
    ...(await keep(created)),
  ];
  const { wake } = await commitWithinLimits(env, workspaceId, "upload", (limitCheck) =>
    commitWithEvents(
      env,
      [limitCheck, ...statements],
      events.map((event) => ({ event })),
    ),
  );
  after(wake());
  after(start(env, upload));
  after(startInsights(env, insights));
  after(startTracks(env, tracks)); // while the file is being sent: an address of a track may be valid for a short time only
  log("upload.created", { uploadId: upload.id, workspaceId });
  return created;
}

/** If this call is lost, the upload's first chunk starts the machine, or the cron's sweep ends the upload. */
const start = (env: Env, upload: Upload): Promise<unknown> =>
  uploadMachine(env, upload.id)
    .start(upload)
    .catch((error: unknown) => logWarning("upload.start_failed", { uploadId: upload.id, ...errorFields(error) }));
