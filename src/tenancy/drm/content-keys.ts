import { and, eq, type SQL } from "drizzle-orm";
import { fromBase64, toBase64 } from "../../../protocol/base64.ts";
import { isSealedWithCurrent, open, seal, SealError } from "../../platform/crypto/sealing.ts";
import { type Database, openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { log, logError } from "../../platform/log.ts";
import { type Lasting, SingleFlight } from "../../platform/single-flight.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { askService } from "./ask-service.ts";
import { keyRequestDocument, readKeyAnswer, UnusableKeyDocument } from "./cpix.ts";
import type { KeySource, MediaKey } from "./key-systems.ts";
import { contentKeys } from "./tables.ts";

type ContentKeyRow = typeof contentKeys.$inferSelect;

const KEY_BYTES = 16;
const KNOWN_MS = 60_000;
/** Keys never change, so this limits only how long an isolate holds them. */
const known = new TtlCache<MediaKey>(512);
const lookups = new SingleFlight<MediaKey>();

/**
 * The key of a media, made by the first request for it.
 *
 * @param targetId an asset, or a live session and its recording
 * @throws {Problem} drm_not_set_up, license_refused, license_service_failed, unavailable
 */
export async function contentKeyOf(env: Env, ctx: Lasting, targetId: string, source: KeySource): Promise<MediaKey> {
  const cacheKey = `${targetId} ${source}`;
  const recent = known.get(cacheKey, Date.now());
  if (recent !== undefined) return recent;
  return await lookups.share(cacheKey, ctx, async () => {
    const db = openDatabase(env.DB);
    const isWanted = and(eq(contentKeys.targetId, targetId), eq(contentKeys.source, source));
    const row = (await findRow(db, isWanted)) ?? (await createRow(env, db, targetId, source, isWanted));
    return await openRow(env, db, row);
  });
}

/** The key with this id. @throws {Problem} playback_not_found, unavailable */
export async function findContentKey(env: Env, ctx: Lasting, keyId: string): Promise<MediaKey> {
  const recent = known.get(keyId, Date.now());
  if (recent !== undefined) return recent;
  return await lookups.share(keyId, ctx, async () => {
    const db = openDatabase(env.DB);
    const row = await findRow(db, eq(contentKeys.id, keyId));
    if (row === null) throw new Problem("playback_not_found", "no such key");
    return await openRow(env, db, row);
  });
}

/** Deletes the keys of a media, for a caller's batch. */
export const deleteContentKeysOf = (db: Database, targetId: string) =>
  db.delete(contentKeys).where(eq(contentKeys.targetId, targetId));

async function findRow(db: Database, isWanted: SQL | undefined): Promise<ContentKeyRow | null> {
  const [row] = await db.select().from(contentKeys).where(isWanted);
  return row ?? null;
}

/** The first of several concurrent requests determines the key. */
async function createRow(env: Env, db: Database, targetId: string, source: KeySource, isWanted: SQL | undefined) {
  const id = crypto.randomUUID();
  const iv = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const made =
    source === "platform"
      ? { key: crypto.getRandomValues(new Uint8Array(KEY_BYTES)), iv, signals: {} }
      : await askForKey(env, { contentId: targetId, keyId: id, iv });
  const row: ContentKeyRow = {
    id,
    targetId,
    source,
    sealedKey: await seal(env.WEBHOOK_KEYS, id, toBase64(made.key)),
    iv: toBase64(made.iv),
    signals: made.signals,
    createdAt: new Date(),
  };
  const inserted = await db.insert(contentKeys).values(row).onConflictDoNothing().returning({ id: contentKeys.id });
  if (inserted.length === 0) return (await findRow(db, isWanted))!;
  log("content_key.created", { keyId: id, targetId, source });
  return row;
}

async function askForKey(env: Env, request: Parameters<typeof keyRequestDocument>[0]) {
  const body = await askService(env, "DRM_LICENSE_PROXY_CPIX_URL", {
    method: "POST",
    headers: { "content-type": "application/xml", "x-speke-version": "2.0" },
    body: keyRequestDocument(request),
  });
  try {
    return readKeyAnswer(new TextDecoder().decode(body), request);
  } catch (error) {
    if (!(error instanceof UnusableKeyDocument)) throw error;
    logError("drm.key_unusable", { keyId: request.keyId, targetId: request.contentId, error: error.message });
    throw new Problem("license_service_failed", `the key service's answer cannot be used: ${error.message}`);
  }
}

async function openRow(env: Env, db: Database, row: ContentKeyRow): Promise<MediaKey> {
  const { id: keyId, targetId, source, sealedKey, signals } = row;
  const key = fromBase64(await openSealed(env, row));
  const iv = fromBase64(row.iv);
  if (key === null || iv === null) throw new Problem("unavailable", "the key of this media is damaged");
  const found: MediaKey = { targetId, source, contentKey: { keyId, key, iv }, signals };
  for (const cacheKey of [keyId, `${targetId} ${source}`]) known.set(cacheKey, found, Date.now() + KNOWN_MS);
  if (!isSealedWithCurrent(env.WEBHOOK_KEYS, sealedKey))
    await db
      .update(contentKeys)
      .set({ sealedKey: await seal(env.WEBHOOK_KEYS, keyId, toBase64(key)) })
      .where(and(eq(contentKeys.id, keyId), eq(contentKeys.sealedKey, sealedKey)));
  return found;
}

/** @throws {Problem} unavailable */
async function openSealed(env: Env, { id, sealedKey }: ContentKeyRow): Promise<string> {
  try {
    return await open(env.WEBHOOK_KEYS, id, sealedKey);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    logError("content_key.not_opened", { keyId: id, error: error.message });
    throw new Problem("unavailable", "the key of this media cannot be opened", { cause: error });
  }
}
