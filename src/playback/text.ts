import { segmentHeader } from "../media/captions/segments.ts";
import { presentationOf } from "../media/manifest/model.ts";
import { timedSpans } from "../media/manifest/spans.ts";
import { answerFile } from "../platform/http/answer-file.ts";
import type { Env } from "../platform/env.ts";
import { captionsKey } from "../platform/storage/keys.ts";
import type { Lasting } from "../platform/single-flight.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import { CORS } from "./headers.ts";
import type { TextFile, TextSegment } from "./paths.ts";
import { offersText, type Playable, type Resolved, resolveOffering } from "./resolve.ts";
import { unknownPlayback } from "./unknown-playback.ts";
import type { Viewer } from "./viewer.ts";

const TYPES = { vtt: "text/vtt", srt: "application/x-subrip", txt: "text/plain", json: "application/json" } as const;

/** Where each segment begins in the object of all segments; the last entry is the object's length. */
interface SegmentIndex {
  starts: number[];
}
const KEPT_MS = 30_000;
/** Those of one text never change. An index of 12 h has 10,800 entries. */
const indexes = new TtlCache<SegmentIndex>(32);
/** A media lasts at most 12 h, of segments of 4 s; the timecodes of its captions may begin later. */
const MAX_SEGMENTS = 90_000;

/**
 * A segment of a subtitle track, or a file with all of it. A track of a growing media has segments before they are listed; a segment
 * without cues has the header alone.
 *
 * @throws {Problem} playback_not_found, range_not_satisfiable, and those of `Viewer.admit`
 */
export async function answerText(
  viewer: Viewer,
  env: Env,
  ctx: Lasting,
  { playbackId, trackId, file }: { playbackId: string; trackId: string; file: TextFile },
): Promise<Response> {
  const offers = (one: Resolved) => offersText(one, trackId);
  const resolved = await resolveOffering(env.DB, ctx, playbackId, offers);
  if (resolved === null) throw unknownPlayback();
  await viewer.admit(resolved.rules);
  if (resolved.kind !== "asset" || resolved.playable.status === "errored" || !offers(resolved)) throw unknownPlayback();
  const { assetId, textTracks } = resolved.playable;
  if (typeof file === "object")
    return await answerSegment(viewer.request, env, resolved.playable, { trackId, ...file });
  const { folder } = textTracks.find(({ id }) => id === trackId)!;
  // The words of a text that somebody has edited are not known.
  const key = captionsKey(assetId, trackId, file === "json" ? "words.json" : `whole.${file}`, folder);
  return await answerWhole(viewer.request, env, key, TYPES[file]);
}

/** The segments of one text never change; the text of a track may be replaced. */
const LASTING = "public, max-age=31536000, immutable";
const REPLACEABLE = "public, max-age=60";

/** Browsers must not take text that others wrote for a page. */
const headersOf = (type: string, cacheControl: string) => ({
  ...CORS,
  "content-type": `${type}; charset=utf-8`,
  "x-content-type-options": "nosniff",
  "cache-control": cacheControl,
});

async function answerWhole(request: Request, env: Env, key: string, type: string): Promise<Response> {
  const head = await env.MEDIA.head(key);
  if (head === null) throw unknownPlayback();
  const open = async (offset: number, length: number) =>
    (await env.MEDIA.get(key, { range: { offset, length } }))?.body ?? null;
  const answer = await answerFile(
    request,
    { size: head.size, etag: head.httpEtag, open },
    headersOf(type, REPLACEABLE),
  );
  if (answer === null) throw unknownPlayback();
  return answer;
}

async function answerSegment(
  request: Request,
  env: Env,
  playable: Playable,
  { trackId, folder, number, span }: { trackId: string } & TextSegment,
): Promise<Response> {
  if (number >= MAX_SEGMENTS) throw unknownPlayback();
  const { assetId } = playable;
  const header = headerIn(playable, span);
  const { starts } = await indexOf(env, captionsKey(assetId, trackId, "segments.json", folder));
  const offset = starts[number] ?? 0;
  const length = (starts[number + 1] ?? 0) - offset;
  const cues =
    length > 0
      ? await env.MEDIA.get(captionsKey(assetId, trackId, "segments", folder), { range: { offset, length } })
      : null;
  if (length > 0 && cues === null) throw unknownPlayback();
  const body = header + (cues === null ? "" : await cues.text());
  const headers = headersOf(TYPES.vtt, LASTING);
  return new Response(request.method === "HEAD" ? null : body, { headers });
}

/** The spans of a recording never change. @throws {Problem} playback_not_found */
function headerIn(playable: Playable, span: number | null): string {
  if (span === null) return segmentHeader();
  const presentation = presentationOf(playable);
  const timed = presentation && timedSpans([...presentation.videoSets.flat(), ...presentation.audio])[span];
  if (!timed) throw unknownPlayback();
  return segmentHeader({ presentationSeconds: timed.startSeconds, mediaSeconds: timed.mediaSeconds });
}

async function indexOf({ MEDIA }: Env, key: string): Promise<SegmentIndex> {
  const known = indexes.get(key, Date.now());
  if (known !== undefined) return known;
  const object = await MEDIA.get(key);
  if (object === null) throw unknownPlayback();
  const { lengths } = await object.json<{ lengths: number[] }>();
  const starts = [0];
  for (const length of lengths) starts.push(starts.at(-1)! + length);
  const index = { starts };
  indexes.set(key, index, Date.now() + KEPT_MS);
  return index;
}
