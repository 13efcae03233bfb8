import { ApiError, SluiceError } from "../api/errors.ts";
import { pause } from "../api/pause.ts";
import type { ApiCalls, Media } from "../api/types.ts";

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** Called with the media each time that it was read. */
  onProgress?: ((media: Media) => void) | undefined;
}

/** The media could not be processed, or will never exist. */
export class MediaFailedError extends SluiceError {
  override readonly name = "MediaFailedError";
  /** `error.code` of the media (docs/guides/errors.md), or `upload_cancelled`, `upload_expired`. */
  readonly code: string;
  /** Whether the file is at fault, or the platform. */
  readonly fault: "source" | "service";

  constructor({ code, message, fault }: NonNullable<Media["error"]>) {
    super(message);
    this.code = code;
    this.fault = fault;
  }
}

const FIRST_POLL_MS = 250;
const LONGEST_POLL_MS = 3000;

/**
 * Waits until a media is completely processed. It usually plays much earlier. The id of an upload that still waits for its file may be given too.
 *
 * @throws {MediaFailedError} when it fails, or its upload has ended; {ApiError} {ConnectionError}; the signal's reason
 */
export async function waitUntilReady(
  calls: ApiCalls,
  mediaId: string,
  { signal, onProgress }: WaitOptions = {},
): Promise<Media> {
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 1.5, LONGEST_POLL_MS)) {
    const media = await readMedia(calls, mediaId, signal);
    if (media !== null) {
      onProgress?.(media);
      if (media.error !== undefined) throw new MediaFailedError(media.error);
      if (media.status === "Ready") return media;
    }
    await pause(pollMs, signal);
  }
}

/** Null while an upload of this id waits for its file. */
async function readMedia({ get }: ApiCalls, mediaId: string, signal: AbortSignal | undefined): Promise<Media | null> {
  const options = signal === undefined ? {} : { signal };
  try {
    return (await get("/v1/on-demand/{mediaId}", { params: { path: { mediaId } }, ...options })).data;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    const params = { path: { uploadId: mediaId } };
    const upload = await get("/v1/on-demand/upload/{uploadId}", { params, ...options }).catch(() => null);
    if (upload === null || upload.data.status === "complete") throw error;
    if (upload.data.status === "waiting") return null;
    const { status } = upload.data;
    throw new MediaFailedError({ code: `upload_${status}`, message: `the upload is ${status}`, fault: "source" });
  }
}
