import { sheetOrder } from "../library/images/index.ts";
import { readInterval } from "../media/images/parameters.ts";
import { imagePlaylist, sheetJson, storyboard } from "../media/images/sheet-json.ts";
import { planAdvancedSheet, planSheet, type SheetPlan } from "../media/images/sheet-plan.ts";
import type { Presentation } from "../media/manifest/model.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import { deliverImage } from "./deliver-image.ts";
import { CORS } from "./headers.ts";
import type { RequestContext } from "./origin.ts";
import type { ImageFile } from "./paths.ts";
import type { Permission } from "./permission.ts";
import { assetLastsMs } from "./permit-times.ts";
import type { Resolved } from "./resolve.ts";
import { unknownPlayback } from "./unknown-playback.ts";
import type { Viewer } from "./viewer.ts";

const HOUR = "public, max-age=3600";

/** What is made of a plan, apart from the sheet itself. `url` is that of the sheet. */
const TEXTS = {
  json: { type: "application/json", write: (plan: SheetPlan, url: string) => JSON.stringify(sheetJson(plan, url)) },
  vtt: { type: "text/vtt; charset=utf-8", write: storyboard },
  m3u8: { type: "application/vnd.apple.mpegurl", write: imagePlaylist },
} as const;

/**
 * A sprite sheet of a ready asset, or its description.
 *
 * @throws {Problem} not_ready, validation_failed, and those of `deliverImage`
 */
export async function answerSheet(
  { request, url }: Viewer,
  permission: Permission,
  env: Env,
  ctx: RequestContext,
  { playable, rules }: Extract<Resolved, { kind: "asset" }>,
  shown: Presentation,
  { isAdvanced, as }: Extract<ImageFile, { kind: "sheet" }>,
): Promise<Response> {
  const interval = isAdvanced ? readInterval(url.searchParams) : null;
  if (playable.status !== "ready") throw new Problem("not_ready", "previews are made when the media is ready");
  const rungs = shown.videoSets.flat();
  const plan = interval === null ? planSheet(rungs) : planAdvancedSheet(rungs, interval);
  if (plan === null) throw unknownPlayback();
  if (as === "jpg")
    return await deliverImage(
      request,
      env,
      ctx,
      sheetOrder({ assetId: playable.assetId, workspaceId: rules.workspaceId, playbackId: rules.playbackId }, plan),
      true,
    );
  const { type, write } = TEXTS[as];
  const file = interval === null ? "spritesheet.jpg" : `advanced-spritesheet.jpg?interval=${interval}`;
  const text = write(plan, `${url.origin}/${permission.address(assetLastsMs(playable))}/${file}`);
  const headers = { ...CORS, "content-type": type, "cache-control": HOUR };
  return new Response(request.method === "HEAD" ? null : text, { headers });
}
