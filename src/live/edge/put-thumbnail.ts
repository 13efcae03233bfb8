import { liveThumbnailKey } from "../../platform/storage/keys.ts";
import type { Taken, Written } from "../origin/origin-rpc.ts";
import type { EdgeParts } from "./parts.ts";
import { NONE, OVER, TAKEN } from "./verdicts.ts";

/** Stores the newest picture of the live edge. Ignores an older one. */
export async function putThumbnail(
  edge: EdgeParts,
  capturedAtMs: number,
  bytes: Uint8Array,
  by: number,
): Promise<Written<Taken>> {
  if (!edge.mayWrite(by)) return OVER;
  const { sessionId } = edge;
  if (sessionId === null) return NONE;
  if (capturedAtMs < (edge.kv.get<number>("thumbnailAtMs") ?? 0)) return TAKEN;
  edge.kv.put("thumbnailAtMs", capturedAtMs);
  await edge.env.MEDIA.put(liveThumbnailKey(sessionId), bytes, { httpMetadata: { contentType: "image/jpeg" } });
  return TAKEN;
}
