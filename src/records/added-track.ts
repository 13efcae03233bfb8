import { z } from "@hono/zod-openapi";

/** One track; `object.id` names its media. */
export const AddedTrack = z.strictObject({
  id: z.uuid(),
  type: z.enum(["audio", "subtitle"]),
  url: z.url().optional(),
  languageCode: z.string(),
  languageName: z.string(),
  title: z.string().optional(),
  status: z.enum(["preparing", "available", "failed", "deleted"]),
});
export type AddedTrack = z.infer<typeof AddedTrack>;
