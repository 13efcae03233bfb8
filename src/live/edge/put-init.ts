import type { OriginSession } from "../../media/live/origin-facts.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import type { Taken, Written } from "../origin/origin-rpc.ts";
import type { EdgeParts } from "./parts.ts";
import { mediaMetadata } from "./segment-uploads.ts";
import { NONE, OVER, TAKEN } from "./verdicts.ts";

/** Stores an init segment. Each version is written once, because players cache it forever. */
export async function putInit(
  edge: EdgeParts,
  rendition: string,
  version: number,
  bytes: Uint8Array,
  by: number,
): Promise<Written<Taken>> {
  if (!edge.mayWrite(by)) return OVER;
  const { kv } = edge;
  const { session } = edge.index;
  if (session === null || edge.index.rendition(rendition) === null) return NONE;
  const key = `init ${rendition} ${version}`;
  if (kv.get<string | boolean>(key) !== undefined) return TAKEN;
  const sha256 = await sha256Hex(bytes);
  await edge.env.MEDIA.put(initKey(session, rendition, version), bytes, { httpMetadata: mediaMetadata });
  kv.put(key, sha256);
  kv.put("initVersion", Math.max(version, kv.get<number>("initVersion") ?? -1));
  return TAKEN;
}

const initKey = ({ sessionId }: OriginSession, rendition: string, version: number) =>
  renditionKey(sessionId, rendition, `init-${version}.mp4`);
