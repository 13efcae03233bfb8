import { isUploaded, serveSource } from "../library/sources/index.ts";
import type { Env } from "../platform/env.ts";
import { attachment } from "./attachment.ts";
import { CORS } from "./headers.ts";
import { resolveAsset } from "./resolve.ts";
import { unknownDownload } from "./unknown-playback.ts";
import type { Viewer } from "./viewer.ts";

/**
 * The original file of an asset whose owner allows it. A playback ID that is limited in resolution or encrypted does not offer it.
 *
 * @throws {Problem} playback_not_found, range_not_satisfiable, and those of `Viewer.admit`
 */
export async function answerSourceFile(viewer: Viewer, env: Env, playbackId: string): Promise<Response> {
  const asset = await resolveAsset(env.DB, playbackId);
  if (asset === null) throw unknownDownload();
  const { resolution, accessPolicy } = (await viewer.admit(asset.rules)).rules;
  if (resolution !== null || accessPolicy === "drm") throw unknownDownload();
  if (!asset.sourceAccess) throw unknownDownload();
  const name = isUploaded(asset.sourceUrl) ? null : nameIn(asset.sourceUrl);
  // The file is not ours: no browser may take it for a page of this host.
  const headers = {
    ...CORS,
    "content-type": "application/octet-stream",
    "content-disposition": name === null ? 'attachment; filename="source"' : attachment(name),
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache", // the owner may end access at any time
  };
  const answer = await serveSource(env, asset.assetId, viewer.request, headers);
  if (answer === null) throw unknownDownload();
  return answer;
}

/** The last component of a URL's path; null = it has none that can be read. */
function nameIn(url: string): string | null {
  try {
    return decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? "") || null;
  } catch {
    return null;
  }
}
