import { openDatabase } from "../../platform/database.ts";
import { readGrant } from "../../platform/crypto/signed-grant.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { countRequest } from "../../tenancy/limits/index.ts";
import { errorFields, log, logError } from "../../platform/log.ts";
import { EXPORT_AUDIENCE, type ExportGrant } from "./create-export.ts";
import type { ViewEngine } from "../questions/view-engine.ts";
import { flatView } from "./export-fields.ts";
import { WRITERS } from "../../platform/row-formats.ts";
import { openEngine } from "../engines/open-engine.ts";
import { findExport, type ViewExport } from "./repository.ts";

/**
 * Streams the views of an export. The URL is its only credential, and a download counts as an API request of its workspace.
 *
 * @throws {Problem} forbidden; export_not_found; too_many_requests
 */
export async function downloadExport(env: Env, exportId: string, token: string): Promise<Response> {
  const now = Date.now();
  const grant = await readGrant<ExportGrant>(
    env.JOB_SECRET,
    EXPORT_AUDIENCE,
    token,
    (of) => of.exportId === exportId,
    now,
  );
  if (grant === "expired") throw new Problem("export_not_found", "the export has expired");
  if (typeof grant === "string") throw new Problem("forbidden", "the URL is not one that was handed out");
  const found = await findExport(openDatabase(env.DB), exportId);
  if (found === null) throw new Problem("export_not_found", "the export was revoked");
  await countRequest(env, found.workspaceId);
  const { format } = found.query;
  const engine = await openEngine(env, found.workspaceId, found.createdAt.getTime());
  return new Response(textOf(engine, found), {
    headers: {
      "content-type": WRITERS[format].contentType,
      "content-disposition": `attachment; filename="views-${exportId.slice(0, 8)}.${format}"`,
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
  });
}

/** Reads the next page only after the client has read the previous one. */
function textOf(engine: ViewEngine, { id, workspaceId, query }: ViewExport): ReadableStream<Uint8Array> {
  const { scope, fields, format } = query;
  const writer = WRITERS[format];
  const pages = engine.pages(scope);
  const encoder = new TextEncoder();
  let rows = 0;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(writer.begin(fields))),
      pull: async (controller) => {
        const next = await pages.next().catch((error: unknown) => {
          logError("view_export.broke", { exportId: id, workspaceId, rows, ...errorFields(error) });
          throw error;
        });
        if (next.done !== true) {
          const lines = next.value.map((view) => writer.row(flatView(view), fields, rows++));
          return controller.enqueue(encoder.encode(lines.join("")));
        }
        log("view_export.downloaded", { exportId: id, workspaceId, rows });
        controller.enqueue(encoder.encode(writer.end));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
