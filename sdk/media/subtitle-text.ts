import { apiErrorOf } from "../api/errors.ts";

/** The text of a subtitle track, and what it was when it was read. */
export interface SubtitleText {
  /** WebVTT. */
  text: string;
  /** For `replaceSubtitleText`, which then refuses to replace a newer text. */
  etag: string;
}

export interface SubtitleTrack {
  mediaId: string;
  trackId: string;
}

/** Sends a request to the API. The typed calls take JSON alone. */
export type SendText = (
  path: string,
  init?: { method: string; body: string; headers: Record<string, string> },
) => Promise<Response>;

const pathOf = ({ mediaId, trackId }: SubtitleTrack): string =>
  `/v1/on-demand/${encodeURIComponent(mediaId)}/tracks/${encodeURIComponent(trackId)}/vtt`;

/** @throws {ApiError} when the API refuses */
export async function readSubtitleText(send: SendText, track: SubtitleTrack): Promise<SubtitleText> {
  const response = await send(pathOf(track));
  if (!response.ok) throw await apiErrorOf(response);
  return { text: await response.text(), etag: response.headers.get("etag") ?? "" };
}

/**
 * Replaces the text of a subtitle track.
 *
 * @param etag that of the text which was changed; without it, any text is replaced
 * @returns the etag of the new text
 * @throws {ApiError} 412 when somebody else has replaced the text meanwhile, 422 for text that is no WebVTT
 */
export async function replaceSubtitleText(
  send: SendText,
  track: SubtitleTrack,
  { text, etag }: { text: string; etag?: string },
): Promise<string> {
  const headers = { "content-type": "text/vtt", ...(etag === undefined ? {} : { "if-match": etag }) };
  const response = await send(pathOf(track), { method: "PUT", body: text, headers });
  if (!response.ok) throw await apiErrorOf(response);
  await response.body?.cancel();
  return response.headers.get("etag") ?? "";
}
