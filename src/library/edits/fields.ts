/** Fields of `video` inputs that edit them (media contract, inputs). Times are seconds of the input's own file. */
import { z } from "@hono/zod-openapi";

/** The longest media, s. */
export const MAX_SECONDS = 43_200;
const MAX_EXPUNGED = 50;
const MAX_INSERTIONS = 20;

const insertedUrl = z.string().min(1).openapi({ description: "What is put in, whole; as the URL of a video" });

/** `4-6`, or with fractions `4.25-6`. */
export const EXPUNGED = /^(\d{1,5}(?:\.\d{1,3})?)-(\d{1,5}(?:\.\d{1,3})?)$/;

const Insertion = z
  .union([
    z.object({
      url: insertedUrl,
      insertAt: z.number().min(0).max(MAX_SECONDS).openapi({ description: "Second of the video at which it begins" }),
    }),
    z.object({
      url: insertedUrl,
      insertAtEnd: z.literal(true).openapi({ description: "It follows the video" }),
    }),
  ])
  .openapi("InsertedSegment");

const around = (description: string) => z.string().nullish().openapi({ description });

/** Clients that send every field they know send null, or an empty text, for what they do not want. */
export const editFields = {
  introUrl: around("Shown before the video; as the URL of a video"),
  outroUrl: around("Shown behind the video; as the URL of a video"),
  expungeSegments: z
    .array(
      z
        .string()
        .regex(EXPUNGED, "two times in seconds, such as `4-6`")
        .openapi({ description: "From and to, s", example: "4-6" }),
    )
    .max(MAX_EXPUNGED)
    .nullish()
    .openapi({ description: "Ranges of the video that are cut out; they must not overlap" }),
  segments: z
    .array(Insertion)
    .max(MAX_INSERTIONS)
    .nullish()
    .openapi({ description: "Further videos that are put into this one" }),
};
const EditFields = z.object(editFields);
export type EditFields = z.infer<typeof EditFields>;
