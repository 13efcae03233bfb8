/** What is made of a transcript. Times are milliseconds of the media. */
import { z } from "zod";

export const TEXT_KINDS = ["summary", "chapters", "namedEntities"] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

export const ENTITY_CATEGORIES = ["person", "organization", "location", "product", "event"] as const;
export type EntityCategory = (typeof ENTITY_CATEGORIES)[number];

/** What was asked for. */
export interface TextOrder {
  /** Of a summary: about how many words it has, 30 to 250. */
  summaryWords?: number;
}

export const Chapter = z.object({ startMs: z.number(), endMs: z.number(), title: z.string(), summary: z.string() });
export type Chapter = z.infer<typeof Chapter>;

export const NamedEntity = z.object({
  name: z.string(),
  category: z.enum(ENTITY_CATEGORIES),
  count: z.number(),
  /** The first mentions. */
  timesMs: z.array(z.number()),
});
export type NamedEntity = z.infer<typeof NamedEntity>;

export interface TextResults {
  summary: { summary: string };
  chapters: { chapters: Chapter[] };
  namedEntities: { namedEntities: NamedEntity[] };
}
