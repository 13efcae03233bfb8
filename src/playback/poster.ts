import { z } from "zod";
import { imageMaker, POSTER_NAME } from "../library/images/index.ts";
import { planPoster } from "../media/images/poster-plan.ts";
import type { Env } from "../platform/env.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import { fetchImage, type RequestContext } from "./origin.ts";
import type { Playable } from "./resolve.ts";

const KEPT_MS = 3_600_000;
/** The poster of a ready asset does not change. */
const known = new TtlCache<number>(512);
const Stored = z.object({ seconds: z.number().min(0) });

/** The time of a ready asset's poster, in seconds; null = it cannot be chosen at the moment. */
export async function posterSeconds(
  env: Env,
  ctx: RequestContext,
  { assetId, renditions }: Playable,
): Promise<number | null> {
  const kept = known.get(assetId, Date.now());
  if (kept !== undefined) return kept;
  const stored = await fetchImage(new Request("https://playback-origin/"), ctx, env, assetId, POSTER_NAME);
  const seconds = stored.ok ? Stored.parse(await stored.json()).seconds : await choose();
  if (seconds !== null) known.set(assetId, seconds, Date.now() + KEPT_MS);
  return seconds;

  async function choose(): Promise<number | null> {
    await stored.body?.cancel();
    const plan = planPoster(renditions.filter(({ kind, isWhole }) => kind === "video" && isWhole));
    return plan && (await imageMaker(env, assetId).choosePoster(assetId, plan));
  }
}
