import { and, eq, gt } from "drizzle-orm";
import type { Database } from "../database.ts";
import { Problem } from "./problems.ts";
import { idempotencyKeys } from "./tables.ts";

export const IDEMPOTENCY_KEEP_MS = 24 * 3600_000;
const MAX_KEY_LENGTH = 255;

/** @throws {Problem} validation_failed when the header is there but of no use */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  const isGood = header.length > 0 && header.length <= MAX_KEY_LENGTH;
  if (!isGood)
    throw new Problem("validation_failed", "bad key", {
      fields: [{ field: "Idempotency-Key", message: "is invalid" }],
    });
  return header;
}

/**
 * The first answer under a key; null when there is none yet.
 *
 * @throws {Problem} idempotency_conflict when the key was used with another request
 */
export async function findFirstAnswer(
  db: Database,
  workspaceId: string,
  key: string,
  requestHash: string,
  now: Date,
): Promise<{ status: number; body: string } | null> {
  const rows = await db
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.workspaceId, workspaceId),
        eq(idempotencyKeys.key, key),
        gt(idempotencyKeys.createdAt, new Date(now.getTime() - IDEMPOTENCY_KEEP_MS)),
      ),
    );
  const first = rows[0];
  if (first === undefined) return null;
  if (first.requestHash !== requestHash) throw new Problem("idempotency_conflict", "use a new key for a new request");
  return { status: first.status, body: first.body };
}
