import type { ApiCalls, PushMediaSettings } from "../api/types.ts";
import { requireFile, sendFile, type SendOptions, type UploadFile } from "./send-file.ts";

/** An upload that takes a file. */
export interface CreatedUpload {
  /** Also the id of the media that the upload becomes. */
  mediaId: string;
  playbackId: string;
  /** Takes the file, and is the only credential for that. */
  url: string;
  /** A page on which anybody who has its link can send the file. */
  pageUrl: string;
  /** What has no effect in the settings, such as a misspelt field; absent = nothing. */
  warnings?: { field: string; message: string }[];
}

export interface UploadOptions extends SendOptions {
  /** Settings of the media: `title`, `accessPolicy`, `metadata`, `maxResolution`, … */
  settings?: PushMediaSettings | undefined;
  /** Called before the first byte is sent. With `url`, `sendFile` can continue an upload that was interrupted. */
  onCreated?: ((upload: CreatedUpload) => void) | undefined;
}

/**
 * Creates an upload and sends a file to it.
 *
 * @returns when the platform has the whole file and processes it
 * @throws {ApiError} and what `sendFile` throws
 */
export async function uploadFile(
  { post }: ApiCalls,
  file: UploadFile,
  { settings, onCreated, ...send }: UploadOptions = {},
): Promise<CreatedUpload> {
  requireFile(file); // before an upload is created that nobody fills
  const body = { corsOrigin: "*", ...(settings === undefined ? {} : { pushMediaSettings: settings }) };
  const { playback_id: playbackId, page_url: pageUrl, data, warnings } = await post("/v1/on-demand/upload", { body });
  const upload = { mediaId: data.uploadId, playbackId, url: data.url, pageUrl, ...(warnings && { warnings }) };
  onCreated?.(upload);
  await sendFile(upload.url, file, send);
  return upload;
}
