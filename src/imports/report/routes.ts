import { createRoute, z } from "@hono/zod-openapi";
import { importBatch, type ItemView } from "../batches/batch-calls.ts";
import { importParams, itemPath, itemProblems, requireBatch, tags } from "../batches/route-parts.ts";
import { dataAnswer, security, success } from "../../platform/http/answers.ts";
import { htmlResponse } from "../../platform/http/html-page.ts";
import { newRouter } from "../../platform/http/router.ts";
import { ROW_FORMATS, type RowFormat, WRITERS } from "../../platform/row-formats.ts";
import { SOURCES } from "../sources/index.ts";
import { reportHtml } from "./report-html.ts";
import { REPORT_FIELDS, reportRows } from "./report-rows.ts";
import { ImportMapRow, ImportReport } from "./schemas.ts";
import { toReport } from "./to-report.ts";

/** The page has its style inside, so that it is one file. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const file = (example: string) => ({ schema: z.string().openapi({ example }) });

const reportRoute = createRoute({
  operationId: "get-import-report",
  summary: "What a batch will do, or has done",
  description:
    "After a dry run: what was found, what it costs, how long it takes, and what will be lost. Later also why items failed, and what differs from the source. `format=html` is one page that can be sent to somebody.",
  method: "get",
  path: `${itemPath}/report`,
  tags,
  security,
  request: { params: importParams, query: z.object({ format: z.enum(["json", "csv", "html"]).default("json") }) },
  responses: {
    200: {
      ...dataAnswer(ImportReport, "The report"),
      content: {
        ...dataAnswer(ImportReport, "The report").content,
        "text/csv": file("section,name,value,videos,examples\r\nfound,videos,119,,\r\nlost,thumbnails,,all,\r\n"),
        "text/html": file("<!doctype html>…"),
      },
    },
    ...itemProblems,
  },
});

/** Which new ids an item has. */
const MAP_FIELDS = ["sourceId", "oldPlaybackId", "mediaId", "playbackId", "status", "error"] as const;
const ITEMS_AT_ONCE = 500;
const [VIDEO, MEDIA, PLAYBACK] = [
  "x3Qm8Tn0rV1sBq00kC7zYw5dLh2e4u9",
  "7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205",
  "c46f80d1-93a7-4e2b-b5d8-06f2a71c3e9b",
];
const MAP_CONTENT = {
  json: { "application/json": { schema: z.array(ImportMapRow) } },
  ndjson: {
    "application/x-ndjson": file(
      `{"sourceId":"${VIDEO}","oldPlaybackId":null,"mediaId":"${MEDIA}","playbackId":"${PLAYBACK}","status":"ready","error":null}\n`,
    ),
  },
  csv: { "text/csv": file(`${MAP_FIELDS.join(",")}\r\n${VIDEO},,${MEDIA},${PLAYBACK},ready,\r\n`) },
};

const mapRoute = <Format extends RowFormat>(format: Format) =>
  createRoute({
    operationId: `get-import-map-${format}` as const,
    summary: `Old and new ids of a batch, as ${format.toUpperCase()}`,
    description:
      "One row for each old playback ID of an item, or one for an item that has none. Streams any number of rows.",
    method: "get",
    path: `${itemPath}/map.${format}` as const,
    tags,
    security,
    request: { params: importParams },
    responses: {
      200: { description: "The rows", content: MAP_CONTENT[format] },
      ...itemProblems,
    },
  });

/** States whose new ids stay: a media that failed goes with the next attempt, and never plays. */
const KEEPS_IDS: ReadonlySet<string> = new Set(["submitted", "ready", "skipped"]);

function mapRows(items: ItemView[]): Record<string, unknown>[] {
  return items.flatMap(({ sourceId, oldPlaybackIds, mediaId, playbackId, status, error }) =>
    (oldPlaybackIds.length === 0 ? [null] : oldPlaybackIds).map((oldPlaybackId) => ({
      sourceId,
      oldPlaybackId,
      mediaId: KEEPS_IDS.has(status) ? mediaId : null,
      playbackId: KEEPS_IDS.has(status) ? playbackId : null,
      status,
      error: error?.code ?? null,
    })),
  );
}

/** @param page of items after a place */
function mapText(format: RowFormat, page: (after: number) => Promise<ItemView[]>): ReadableStream<Uint8Array> {
  const writer = WRITERS[format];
  const encoder = new TextEncoder();
  let after = 0;
  let rows = 0;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(writer.begin(MAP_FIELDS))),
      pull: async (controller) => {
        const items = await page(after);
        after = items.at(-1)?.seq ?? after;
        const lines = mapRows(items).map((row) => writer.row(row, MAP_FIELDS, rows++));
        controller.enqueue(encoder.encode(lines.join("")));
        if (items.length === ITEMS_AT_ONCE) return;
        controller.enqueue(encoder.encode(writer.end));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

export const reportRoutes = newRouter().openapi(reportRoute, async (c) => {
  const row = await requireBatch(c, c.req.valid("param").importId);
  const facts = await importBatch(c.env, row.id).report();
  const report = toReport(row, facts, Number(c.env.ENCODER_CONTAINERS));
  const { format } = c.req.valid("query");
  if (format === "html")
    return await htmlResponse(c.req.raw, reportHtml(report, SOURCES[row.source].name), 200, {
      "content-security-policy": POLICY,
    });
  if (format === "json") return c.json(success(report), 200);
  const { csv } = WRITERS;
  const lines = reportRows(report).map((line, n) => csv.row(line, REPORT_FIELDS, n));
  return c.body(csv.begin(REPORT_FIELDS) + lines.join("") + csv.end, 200, { "content-type": csv.contentType }) as never;
});

for (const format of ROW_FORMATS)
  reportRoutes.openapi(mapRoute(format), async (c) => {
    const { id } = await requireBatch(c, c.req.valid("param").importId);
    const batch = importBatch(c.env, id);
    const text = mapText(format, (after) => batch.items({ status: null, after, limit: ITEMS_AT_ONCE }));
    const headers = {
      "content-type": WRITERS[format].contentType,
      "content-disposition": `attachment; filename="migration-${id}.${format}"`,
    };
    return c.body(text, 200, headers) as never;
  });
