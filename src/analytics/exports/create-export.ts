import type { z } from "@hono/zod-openapi";
import { commit, openDatabase } from "../../platform/database.ts";
import { signGrant } from "../../platform/crypto/signed-grant.ts";
import { success } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { Problem } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { readScope } from "../questions/scope.ts";
import { EXPORT_FIELDS } from "./export-fields.ts";
import { openEngine } from "../engines/open-engine.ts";
import { countExports, insertExport } from "./repository.ts";
import type { CreateExport, ViewExportRecord } from "./schemas.ts";

/** Exports per workspace that have not expired. Only a program that does not use its exports reaches it. */
const EXPORTS_PER_WORKSPACE = 1000;

const IN_BODY = { timespan: "timespan", filterby: "filterby" };

export const EXPORT_AUDIENCE = "view-export";

/** The bearer may download this export. */
export interface ExportGrant {
  expiresAt: number;
  exportId: string;
}

/**
 * Creates a URL that downloads the views of a question.
 *
 * @throws {Problem} export_limit_reached; invalid_timespan; validation_failed
 */
export async function createExport(
  { timespan, filterby, fields, format, expiresIn }: z.output<typeof CreateExport>,
  { env, workspaceId, publicUrl, now, keep }: CreateContext,
) {
  const scope = readScope(timespan, filterby, now.getTime(), IN_BODY);
  const db = openDatabase(env.DB);
  if ((await countExports(db, workspaceId, now)) >= EXPORTS_PER_WORKSPACE)
    throw new Problem("export_limit_reached", `a workspace has at most ${EXPORTS_PER_WORKSPACE} exports`);
  const id = crypto.randomUUID();
  const expiresAt = new Date(now.getTime() + expiresIn * 1000);
  const grant: ExportGrant = { expiresAt: expiresAt.getTime(), exportId: id };
  const url = `${publicUrl}/exports/${id}.${format}?token=${await signGrant(env.JOB_SECRET, EXPORT_AUDIENCE, grant)}`;
  const rows = await (await openEngine(env, workspaceId, now.getTime())).count(scope);
  const record: z.output<typeof ViewExportRecord> = {
    exportId: id,
    url,
    expiresAt: toTimestamp(expiresAt),
    format,
    rows,
  };
  const created = { id, answer: success(record) };
  const query = { scope, fields: [...new Set(fields ?? EXPORT_FIELDS)], format };
  const row = { id, workspaceId, query, createdAt: now, expiresAt };
  await commit(env.DB, [insertExport(db, row), ...(await keep(created))]);
  log("view_export.created", { exportId: id, workspaceId, format, rows });
  return created;
}
