import { and, eq, type SQL, sql } from "drizzle-orm";
import type { ChapterMark } from "../../../media/chapters/chapter-files.ts";
import type { Database } from "../../../platform/database.ts";
import { insights } from "./tables.ts";

/** The chapters of a media that are ready: at most one row. @param assetId an SQL expression */
export const chapterMarks = (db: Database, assetId: SQL) =>
  db
    .select({
      result: sql<ChapterMark[]>`json_extract(${insights.result}, '$.chapters')`
        .mapWith((text: string) => JSON.parse(text) as ChapterMark[])
        .as("chapter_marks"),
    })
    .from(insights)
    .where(and(eq(insights.assetId, assetId), eq(insights.kind, "chapters"), eq(insights.status, "available")));
