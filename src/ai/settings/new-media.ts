import { z } from "@hono/zod-openapi";
import { ModerationRequest } from "../moderation/index.ts";

const ModerationDefault = z.union([z.literal(false), ModerationRequest]).openapi({
  description: "Scores of unwanted content; `false` = none",
});

/** What is made of every new media, unless its creation says otherwise. */
export const NewMedia = z
  .object({
    subtitles: z.boolean().default(false).openapi({ description: "Subtitles of what is spoken" }),
    summary: z.boolean().default(false).openapi({ description: "A summary of 100 words" }),
    chapters: z.boolean().default(false),
    namedEntities: z.boolean().default(false),
    moderation: ModerationDefault.default(false),
  })
  .openapi("AiOfNewMedia", {
    description:
      "What is made of every new media: of a URL, an upload, a clip, or a broadcast that is recorded, unless its creation says otherwise: `false` there asks for nothing. Subtitles come first",
  });
export type NewMedia = z.infer<typeof NewMedia>;
