import { createRoute, z } from "@hono/zod-openapi";
import { envelopeAnswer, security, successWith } from "../../platform/http/answers.ts";
import { CursorPagination, CursorQuery, CursorTime, readCursor } from "../../platform/http/cursor.ts";
import { line } from "../../platform/http/fields.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { recordOf } from "../../platform/http/record.ts";
import { newRouter } from "../../platform/http/router.ts";
import { TITLE } from "./cue-index.ts";
import type { FoundHit } from "./find-hits.ts";
import { matchQuery } from "./match-query.ts";
import { searchIndex } from "./search-calls.ts";
import { searchPage } from "./search-page.ts";
import { snippetOf } from "./snippet.ts";

/** UTF-16 code units. */
const MAX_QUERY_LENGTH = 200;

const SortKey = z.tuple([CursorTime, z.string().max(64), z.int(), z.string().max(64), z.int()]);

const SearchQuery = CursorQuery.extend({
  q: line(MAX_QUERY_LENGTH)
    .refine((text) => matchQuery(text) !== null, hinted("is invalid", "must have a letter or a digit"))
    .openapi({
      description:
        "Plain words, all of which have to be in a caption or title. Case and diacritics do not matter; the last word may be the beginning of one",
      example: "harbour at dawn",
    }),
});

export const SearchHit = z
  .object({
    mediaId: z.uuid(),
    trackId: z.uuid().optional().openapi({ description: "The subtitle track; absent = the title of the media" }),
    startMs: z
      .int()
      .optional()
      .openapi({ description: "Of the caption, from the start of the media; absent for a title" }),
    endMs: z.int().optional(),
    snippet: z.string().openapi({
      description: "Plain text of one line, which may contain `<` and `&`: escape it before it becomes HTML",
    }),
  })
  .openapi("SearchHit");

const searchRoute = createRoute({
  operationId: "search-media",
  summary: "Search captions and titles",
  description:
    "Captions and titles of the workspace's media that have all the words. Media come from the newest on, and in each the title and then its captions by time. A word with more than 10,000 hits is searched for among the 1,000 texts with it that were indexed last (`isPartial`). A change is found within about a minute.",
  method: "get",
  path: "/v1/on-demand/search",
  tags: ["In-video AI"],
  security,
  request: { query: SearchQuery },
  responses: {
    200: envelopeAnswer(
      {
        data: z.array(SearchHit),
        pagination: CursorPagination,
        isPartial: z.boolean().openapi({ description: "There are more hits than the pages show", example: false }),
        isIndexing: z
          .boolean()
          .openapi({ description: "Changes of media or captions are not found yet", example: false }),
        leftOutCaptions: z.int().openapi({
          description: "Captions and titles of the workspace that are never found, because it has too many",
          example: 0,
        }),
      },
      "One page of hits",
    ),
    ...problemResponses("unauthorized", "validation_failed"),
  },
});

function toHit(
  { key: [, mediaId, startMs, trackId], endMs, text }: FoundHit,
  query: string,
): z.output<typeof SearchHit> {
  const isTitle = trackId === TITLE;
  return recordOf<z.output<typeof SearchHit>>({
    mediaId,
    trackId: isTitle ? null : trackId,
    startMs: isTitle ? null : startMs,
    endMs: isTitle ? null : endMs,
    snippet: snippetOf(text, query),
  });
}

/** Before the routes of media, whose ids are in the same place of the path. */
export const searchRoutes = newRouter().openapi(searchRoute, async (c) => {
  const { q, cursor, limit } = c.req.valid("query");
  const { workspaceId } = c.var.caller;
  const page = await searchPage(c.env, workspaceId, {
    match: matchQuery(q)!,
    after: readCursor(cursor, SortKey),
    limit,
  });
  // The cron would do so within the minute.
  if (page.isIndexing) c.executionCtx.waitUntil(searchIndex(c.env, workspaceId).wake(workspaceId));
  return c.json(
    successWith({
      data: page.hits.map((hit) => toHit(hit, q)),
      pagination: { limit, nextCursor: page.nextCursor },
      isPartial: page.isPartial,
      isIndexing: page.isIndexing,
      leftOutCaptions: page.leftOut,
    }),
    200,
  );
});
