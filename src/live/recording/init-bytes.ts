import type { NewRendition } from "../../library/assets/index.ts";
import type { Env } from "../../platform/env.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import type { RecordedRow } from "./recording-rows.ts";

/** Adds the size of the rendition's first init segment, read from R2. */
export async function withInitBytes(env: Env, row: RecordedRow): Promise<NewRendition> {
  const version = row.segments.spans?.[0]?.initVersion ?? 0;
  const init = await env.MEDIA.head(renditionKey(row.assetId, row.name, `init-${version}.mp4`));
  return { ...row, initBytes: init?.size ?? 0 };
}
