/** What the routes of batches share. */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { openDatabase } from "../../platform/database.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import type { AppContext } from "../../platform/http/router.ts";
import { type BatchRow, findBatch } from "./repository.ts";

export const tags = ["Imports"];
export const importsPath = "/v1/imports";
export const itemPath = `${importsPath}/{importId}` as const;
export const importParams = z.object({ importId: uuidParam("importId") });
export const itemProblems = problemResponses("unauthorized", "forbidden", "import_not_found", "validation_failed");

/** @throws {Problem} import_not_found */
export async function requireBatch(c: Context<AppContext>, importId: string): Promise<BatchRow> {
  const found = await findBatch(openDatabase(c.env.DB), c.var.caller.workspaceId, importId.toLowerCase());
  return orNotFound(found, "import_not_found");
}
