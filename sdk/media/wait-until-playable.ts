import { apiErrorOf, ConnectionError } from "../api/errors.ts";
import { pause } from "../api/pause.ts";

const POLL_MS = 250;
/** Not playable yet: not ready (400), also before the first byte of an upload, or temporarily unavailable. */
const NOT_YET = new Set([400, 429, 500, 502, 503, 504]);

export interface PlayableOptions {
  signal?: AbortSignal | undefined;
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/**
 * Waits until an HLS manifest can be played.
 *
 * @param manifestUrl with the token of a private playback ID
 * @throws {ApiError} when playback is refused, and with the status 404 when there is no such playback ID, or when the media could not be processed;
 *   {ConnectionError}; the signal's reason
 */
export async function waitUntilPlayable(
  manifestUrl: string,
  { signal, fetch = (request) => globalThis.fetch(request) }: PlayableOptions = {},
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const response = await fetch(new Request(manifestUrl, signal === undefined ? {} : { signal })).catch(
      (cause: unknown) => {
        signal?.throwIfAborted();
        throw new ConnectionError(`the platform at ${new URL(manifestUrl).origin} cannot be reached`, { cause });
      },
    );
    if (response.ok) return await response.body?.cancel();
    const error = await apiErrorOf(response);
    if (!NOT_YET.has(response.status)) throw error;
    await pause(POLL_MS, signal);
  }
}
