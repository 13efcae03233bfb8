import type { MediaFormat } from "../../../protocol/init-facts.ts";
import type { ArrivingPart, OriginSession, PartVerdict } from "../../media/live/origin-facts.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { liveThumbnailKey, renditionKey } from "../../platform/storage/keys.ts";
import type { OriginComponents } from "./components.ts";
import type { Taken, Written } from "./origin-calls.ts";
import { mediaMetadata } from "./segment-uploads.ts";

/** The connection may not write. */
const OVER = { verdict: "over" } as const;
const TAKEN = { verdict: "taken" } as const;
/** The session has no such rendition. */
const NONE = { verdict: "none" } as const;

/** Opens the session, or changes its renditions. @param connection the broadcaster's newest one */
export function openSession(origin: OriginComponents, session: OriginSession, connection: number): void {
  origin.acceptConnection(connection);
  origin.index.open(session);
  origin.onChange();
}

/** Accepts the connection of a returning or another broadcaster. Older connections can no longer write. */
export function acceptConnection(origin: OriginComponents, connection: number): void {
  origin.acceptConnection(connection);
  origin.freeze.pause();
}

/**
 * Stores an init segment with the format of its media. Each version is written once, because players cache it forever.
 *
 * @param format null = the gateway does not report it
 */
export async function putInit(
  origin: OriginComponents,
  rendition: string,
  version: number,
  bytes: Uint8Array,
  by: number,
  format: MediaFormat | null,
): Promise<Written<Taken>> {
  if (!origin.mayWrite(by)) return OVER;
  const { kv } = origin;
  const { session } = origin.index;
  if (session === null || origin.index.rendition(rendition) === null) return NONE;
  const key = `init ${rendition} ${version}`;
  if (kv.get<string | boolean>(key) !== undefined) return TAKEN;
  const sha256 = await sha256Hex(bytes);
  await origin.env.MEDIA.put(initKey(session, rendition, version), bytes, { httpMetadata: mediaMetadata });
  kv.put(key, sha256);
  origin.index.addFormat(rendition, version, format);
  kv.put("initVersion", Math.max(version, kv.get<number>("initVersion") ?? -1));
  return TAKEN;
}

const initKey = ({ sessionId }: OriginSession, rendition: string, version: number) =>
  renditionKey(sessionId, rendition, `init-${version}.mp4`);

/** Stores a part before any playlist announces it. `by` is the connection that writes. */
export function putPart(
  origin: OriginComponents,
  arriving: ArrivingPart,
  bytes: Uint8Array,
  by: number,
): Written<PartVerdict> {
  if (!origin.mayWrite(by)) return OVER;
  const verdict = origin.index.add(arriving, bytes);
  if (arriving.isLast) return afterSegment(origin, verdict);
  if (verdict.verdict === "taken") origin.onChange();
  return verdict;
}

/** Records that the remaining parts of a segment are lost. */
export function putGap(origin: OriginComponents, rendition: string, msn: number, by: number): Written<PartVerdict> {
  return origin.mayWrite(by) ? afterSegment(origin, origin.index.gap(rendition, msn)) : OVER;
}

/** Records that the encoder drops a rung. Its last segment is the one before `fromMsn`. */
export function dropRung(
  origin: OriginComponents,
  rendition: string,
  fromMsn: number,
  by: number,
): Written<PartVerdict> {
  return origin.mayWrite(by) ? afterSegment(origin, origin.index.drop(rendition, fromMsn)) : OVER;
}

/** Stores the newest picture of the live origin. Ignores an older one. */
export async function putThumbnail(
  origin: OriginComponents,
  capturedAtMs: number,
  bytes: Uint8Array,
  by: number,
): Promise<Written<Taken>> {
  if (!origin.mayWrite(by)) return OVER;
  const { sessionId } = origin;
  if (sessionId === null) return NONE;
  if (capturedAtMs < (origin.kv.get<number>("thumbnailAtMs") ?? 0)) return TAKEN;
  origin.kv.put("thumbnailAtMs", capturedAtMs);
  await origin.env.MEDIA.put(liveThumbnailKey(sessionId), bytes, { httpMetadata: { contentType: "image/jpeg" } });
  return TAKEN;
}

/** Call when a segment may have become whole. */
function afterSegment(origin: OriginComponents, verdict: PartVerdict): PartVerdict {
  if (verdict.verdict !== "taken") return verdict;
  origin.onChange();
  origin.uploads.start();
  return verdict;
}
