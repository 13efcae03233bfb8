import type { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { deleteObjectWebhooks, objectWebhook, webhookUrlIssues } from "../../events/webhooks/index.ts";
import { commit, openDatabase, type Statement } from "../../platform/database.ts";
import { success } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { validationProblem } from "../../platform/http/validation.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { credentialLimitReached, sealedCredential } from "../credentials/create-credential.ts";
import {
  deleteUnlessKept,
  findCredential,
  insertCredential,
  isInserted as isCredentialInserted,
} from "../credentials/repository.ts";
import { findList } from "../lists/repository.ts";
import { SOURCES } from "../sources/index.ts";
import { orderOf } from "./order-of.ts";
import { type BatchOrder, importBatch } from "./batch-calls.ts";
import { type BatchRow, insertBatch, isInserted, OPEN_BATCHES } from "./repository.ts";
import type { CreateImport } from "./schemas.ts";
import { toImport } from "./to-import.ts";

const NO_COUNTS = { total: 0, pending: 0, submitted: 0, ready: 0, failed: 0, skipped: 0 };

/**
 * Creates a batch and starts its object, once the URL of `statusUrl` is verified.
 *
 * @throws {Problem} validation_failed, import_limit_reached, import_credential_limit_reached, import_list_not_found, import_credential_not_found,
 *   unavailable
 */
export async function createBatch(body: CreateImport, context: CreateContext) {
  const { env, workspaceId, publicUrl, now, after, keep } = context;
  requireStatusUrl(body, allowsPrivateNetwork(env));
  const { type: source, ...given } = body.source;
  const db = openDatabase(env.DB);
  const id = crypto.randomUUID();
  const credential = await credentialOf(body, context);
  const options: Record<string, unknown> = given;
  await requireList(context, options);
  const webhook = body.statusUrl === undefined ? null : await statusWebhook(context, id, body.statusUrl);
  const row: BatchRow = {
    id,
    workspaceId,
    source,
    request: { options, selection: body.selection, settings: body.settings, dryRun: body.dryRun, publicUrl },
    state: "scanning",
    counts: NO_COUNTS,
    problem: null,
    credentialId: credential.id,
    statusWebhookId: webhook?.id ?? null,
    startedAt: null,
    createdAt: now,
    updatedAt: now,
    completedAt: null,
    revision: 0,
  };
  const created = {
    id,
    answer: success({
      ...toImport(row, null),
      ...(webhook === null ? {} : { statusWebhook: { id: webhook.id, secret: webhook.secret } }),
    }),
  };
  const { insert, isThere } = credential;
  const results = await commit(env.DB, [
    ...(insert === null ? [] : [insert]),
    insertBatch(db, row, isThere),
    ...(webhook === null ? [] : [webhook.insert]),
    ...(await keep(created, isInserted(id))),
  ]);
  const [batchResult, credentialResult] = insert === null ? [results[0]!, null] : [results[1]!, results[0]!];
  if (batchResult.meta.changes === 0) {
    const unused =
      credential.id === null || insert === null
        ? []
        : [deleteUnlessKept(db, { credentialId: credential.id, batchId: id })];
    await commit(env.DB, [...unused, deleteObjectWebhooks(db, id, now)]);
    throw credentialResult?.meta.changes === 0 ? credentialLimitReached() : limitReached();
  }
  log("import.created", { batchId: id, workspaceId, source, dryRun: body.dryRun });
  // If this call is lost, the cron's sweep starts the object.
  after(startBatch(env, orderOf(row)));
  return created;
}

const limitReached = () =>
  new Problem(
    "import_limit_reached",
    `a workspace has at most ${OPEN_BATCHES} batches that have not ended, dry runs included: wait, or cancel one (GET /v1/imports lists them)`,
  );

/** @throws {Problem} validation_failed, about `statusUrl`; unavailable */
async function statusWebhook({ env, workspaceId, now }: CreateContext, objectId: string, url: string) {
  try {
    return await objectWebhook(env, { workspaceId, objectId, url }, now);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "validation_failed") throw error;
    const fields = error.fields.map((issue) => ({ ...issue, field: "statusUrl" }));
    throw new Problem("validation_failed", error.message, { fields, cause: error });
  }
}

const startBatch = (env: CreateContext["env"], order: BatchOrder): Promise<unknown> =>
  importBatch(env, order.batchId)
    .begin(order)
    .catch((error: unknown) => logWarning("import.start_failed", { batchId: order.batchId, ...errorFields(error) }));

/** @throws {Problem} validation_failed */
function requireStatusUrl({ statusUrl }: CreateImport, allowPrivate: boolean): void {
  const issues = webhookUrlIssues({ url: statusUrl }, allowPrivate).map((issue) => ({ ...issue, path: ["statusUrl"] }));
  if (issues.length > 0) throw validationProblem({ issues }, { data: null, schema: null });
}

interface BatchCredential {
  id: string | null;
  /** For the commit of the batch, before it; null = they are there already, or there are none. */
  insert: Statement | null;
  /** In the same commit: whether the batch may be created. */
  isThere: SQL;
}

/** The batch's credentials: named, given with the batch, or none. @throws {Problem} validation_failed, import_credential_not_found */
async function credentialOf(body: CreateImport, { env, workspaceId, now }: CreateContext): Promise<BatchCredential> {
  const { source, credentialId, credentials } = body;
  const refuse = (field: string, message: string) => {
    throw new Problem("validation_failed", "validation failed", {
      fields: [{ field, message: "is invalid", hint: message }],
    });
  };
  const definition = source.type === "list" ? null : SOURCES[source.type];
  if (definition === null || definition.credentials === null) {
    if (credentialId !== undefined || credentials !== undefined)
      refuse("credentials", "must be absent: a list has none");
    return NONE;
  }
  if (credentialId !== undefined && credentials !== undefined)
    refuse("credentials", "must be absent beside `credentialId`");
  if (credentialId !== undefined) {
    const key = { workspaceId, credentialId: credentialId.toLowerCase() };
    const found = orNotFound(await findCredential(openDatabase(env.DB), key), "import_credential_not_found");
    if (found.source !== source.type) refuse("credentialId", `must be of the source ${source.type}`);
    return { ...NONE, id: found.id };
  }
  if (credentials === undefined) {
    if (!definition.isOpenToAll) refuse("credentials", "are required, or `credentialId`");
    return NONE;
  }
  const parsed = definition.credentials.safeParse(credentials);
  if (!parsed.success) throw validationProblem(inside(parsed.error), { data: body, schema: null });
  const db = openDatabase(env.DB);
  const row = await sealedCredential(
    env,
    { workspaceId, source: source.type, name: null, credentials, keep: false },
    now,
  );
  return { id: row.id, insert: insertCredential(db, row), isThere: isCredentialInserted(row.id) };
}

/** @throws {Problem} import_list_not_found */
async function requireList({ env, workspaceId }: CreateContext, { listId }: Record<string, unknown>): Promise<void> {
  if (typeof listId === "string")
    orNotFound(await findList(openDatabase(env.DB), { workspaceId, listId }), "import_list_not_found");
}

const NONE: BatchCredential = { id: null, insert: null, isThere: sql`TRUE` };

const inside = ({ issues }: Pick<z.core.$ZodError, "issues">) => ({
  issues: issues.map((issue) => ({ ...issue, path: ["credentials", ...issue.path] })),
});
