/** Idempotent creations (media contract, Idempotency): a repeat with the same key gets the first response, byte for byte. */
import { JSON_TYPE } from "./json-charset.ts";
import { z } from "@hono/zod-openapi";
import { and, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { Context, TypedResponse } from "hono";
import { sha256Hex } from "../crypto/hash.ts";
import { open, seal } from "../crypto/sealing.ts";
import { columnValues } from "../column-values.ts";
import { type Database, openDatabase, type Statement } from "../database.ts";
import type { Env } from "../env.ts";
import { Problem } from "./problems.ts";
import type { AppContext } from "./router.ts";
import { publicUrlOf } from "./requests.ts";
import { idempotencyKeys } from "./tables.ts";
import { withKeys } from "./with-keys.ts";

const IDEMPOTENCY_KEEP_MS = 24 * 3600_000;
const MAX_KEY_LENGTH = 255;

export const IdempotencyHeaders = z.object({
  "idempotency-key": z
    .string()
    .optional()
    .openapi({ description: "A repeat with the same key within 24 h gets the first answer" }),
});

/** The id of the created object, and the response. */
export interface Created<Answer extends object = object> {
  id: string;
  answer: Answer;
}

/** The first response as it was stored: `text` is its JSON. */
interface FirstAnswer {
  id: string;
  text: string;
}

/**
 * Statements that store the response, to be committed together with the created object. When a concurrent request with the same key was
 * faster, its row makes the whole commit fail.
 *
 * @param onlyIf the condition under which the object is created; default: always
 */
export type KeepAnswer = (created: Created, onlyIf?: SQL) => Promise<Statement[]>;

/** The context of a creation. */
export interface CreateContext {
  env: Env;
  workspaceId: string;
  publicUrl: string;
  now: Date;
  /** Runs work after the response has been sent. */
  after: (work: Promise<unknown>) => void;
  keep: KeepAnswer;
}

interface Operation<Status extends 200 | 201> {
  /** Method and path, with the ids in it. Two routes of the same operation share a name, so a repeat may use either. */
  name: string;
  /** The response contains secrets, so it is stored sealed. */
  isSecret: boolean;
  /** Absent = 201. */
  status?: Status;
}

/**
 * Runs a creation once per `Idempotency-Key` and responds with 201, or the status of the operation.
 *
 * @throws {Problem} validation_failed for an invalid key; idempotency_conflict when it was used with another body; what `create` throws
 */
export async function answerOnce<Answer extends object, Status extends 200 | 201 = 201>(
  c: Context<AppContext>,
  { name, isSecret, status }: Operation<Status>,
  create: (context: CreateContext) => Promise<Created<Answer>>,
): Promise<Response & TypedResponse<Answer, Status, "json">> {
  const now = new Date();
  const { env } = c;
  const { workspaceId } = c.var.caller;
  const key = readKey(c.req.header("idempotency-key"));
  const requestHash = key === null ? "" : await sha256Hex(`${name}\n${await c.req.text()}`);

  const findFirst = async (): Promise<FirstAnswer | null> => {
    const first =
      key === null ? null : await findFirstAnswer(openDatabase(env.DB), { workspaceId, key, requestHash }, now);
    if (first === null || !isSecret) return first;
    return { ...first, text: await withKeys(env, (keys) => open(keys, workspaceId, first.text)) };
  };
  const keep: KeepAnswer = async ({ id, answer }, onlyIf = sql`TRUE`) => {
    if (key === null) return [];
    const text = JSON.stringify(answer);
    const body = isSecret ? await withKeys(env, (keys) => seal(keys, workspaceId, text)) : text;
    const row = { workspaceId, key, requestHash, resourceId: id, status: status ?? 201, body, createdAt: now };
    const inserted = sql`SELECT ${columnValues(idempotencyKeys, row)} WHERE ${onlyIf}`;
    return [openDatabase(env.DB).insert(idempotencyKeys).select(inserted)];
  };
  const after = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  const createOnce = async (): Promise<FirstAnswer> => {
    try {
      const { id, answer } = await create({ env, workspaceId, publicUrl: publicUrlOf(c), now, after, keep });
      return { id, text: JSON.stringify(answer) };
    } catch (error) {
      const concurrent = await findFirst();
      if (concurrent === null) throw error;
      return concurrent;
    }
  };
  const { id, text } = (await findFirst()) ?? (await createOnce());
  c.set("createdIds", [id]);
  const response = c.body(text, status ?? 201, { "content-type": JSON_TYPE });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the text is the JSON of an `Answer`, possibly of an earlier request
  return response as unknown as Response & TypedResponse<Answer, Status, "json">;
}

function readKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (header.length > 0 && header.length <= MAX_KEY_LENGTH) return header;
  const hint = `must be a string of 1 to ${MAX_KEY_LENGTH} characters`;
  const fields = [{ field: "Idempotency-Key", message: "is invalid", hint }];
  throw new Problem("validation_failed", "bad key", { fields });
}

/**
 * The first response under a key; null when there is none yet.
 *
 * @throws {Problem} idempotency_conflict when the key was used with another request
 */
export async function findFirstAnswer(
  db: Database,
  { workspaceId, key, requestHash }: { workspaceId: string; key: string; requestHash: string },
  now: Date,
): Promise<FirstAnswer | null> {
  const [first] = await db
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.workspaceId, workspaceId),
        eq(idempotencyKeys.key, key),
        gt(idempotencyKeys.createdAt, new Date(now.getTime() - IDEMPOTENCY_KEEP_MS)),
      ),
    );
  if (first === undefined) return null;
  if (first.requestHash !== requestHash) throw new Problem("idempotency_conflict", "use a new key for a new request");
  return { id: first.resourceId, text: first.body };
}

/** Deletes responses that are kept no longer. For the cron. */
export async function forgetOldAnswers(env: Env, now: Date): Promise<void> {
  const before = new Date(now.getTime() - IDEMPOTENCY_KEEP_MS);
  await openDatabase(env.DB).delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, before));
}
