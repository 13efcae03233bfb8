import type { ArrivingPart, OriginSession, PartVerdict } from "../../media/live/origin-facts.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { liveThumbnailKey, renditionKey } from "../../platform/storage/keys.ts";
import type { Taken, Written } from "../origin/origin-rpc.ts";
import type { EdgeParts } from "./parts.ts";
import { mediaMetadata } from "./segment-uploads.ts";

const OVER = { verdict: "over" } as const;
const TAKEN = { verdict: "taken" } as const;
/** The session has no such rendition. */
const NONE = { verdict: "none" } as const;

/** Stores a part before any playlist announces it. `by` is the writing connection, here and below. */
export function putPart(edge: EdgeParts, arriving: ArrivingPart, bytes: Uint8Array, by: number): Written<PartVerdict> {
  if (!edge.mayWrite(by)) return OVER;
  const verdict = edge.index.add(arriving, bytes);
  if (arriving.isLast) return afterSegment(edge, verdict);
  if (verdict.verdict === "taken") edge.onChange();
  return verdict;
}

/** Records that the remaining parts of a segment are lost. */
export function putGap(edge: EdgeParts, rendition: string, msn: number, by: number): Written<PartVerdict> {
  return edge.mayWrite(by) ? afterSegment(edge, edge.index.gap(rendition, msn)) : OVER;
}

/** Records that the encoder drops a rung. Its last segment is the one before `fromMsn`. */
export function dropRung(edge: EdgeParts, rendition: string, fromMsn: number, by: number): Written<PartVerdict> {
  return edge.mayWrite(by) ? afterSegment(edge, edge.index.drop(rendition, fromMsn)) : OVER;
}

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

/** Call when a segment may have become whole. */
function afterSegment(edge: EdgeParts, verdict: PartVerdict): PartVerdict {
  if (verdict.verdict !== "taken") return verdict;
  edge.onChange();
  edge.uploads.start();
  return verdict;
}

const initKey = ({ sessionId }: OriginSession, rendition: string, version: number) =>
  renditionKey(sessionId, rendition, `init-${version}.mp4`);
