/** The job that looks through the pictures of a media, for moderation and for chapters (protocol/jobs.ts). Times are milliseconds. */
import { z } from "zod";
import { JobBase } from "./job-base.ts";

/** A sheet has so many pictures in each direction; the first is at the top left, and the order is that of reading. */
export const SHEET_EDGE = 3;
export const PICTURES_PER_SHEET = SHEET_EDGE ** 2;
/** Box that each picture of a sheet is fitted into. */
export const SHEET_PICTURE_PX = 384;
/** Pictures of one media: 12 h at one in 5 s, with room for cuts. A longer distance is chosen when there were more. */
export const MAX_JUDGED_PICTURES = 9000;
/** There is no longer gap between two pictures, except in media of more than `MAX_JUDGED_PICTURES` of them. */
export const PICTURE_GAP_MS = 5000;
/** The first picture of a scene is taken as well, unless another one is nearer than this. */
export const MIN_PICTURE_GAP_MS = 2000;

/**
 * What a job is for. `sheets`: a picture of each scene, and at least one each 5 s, stored nine at a time as `{rendition}/{number}.jpg`. `scores`: the same pictures,
 * judged by the encoder's own classifier and not stored. `cuts`: the first picture of each scene but the first one; none is stored.
 */
export const PicturesPurpose = z.enum(["sheets", "scores", "cuts"]);
export type PicturesPurpose = z.infer<typeof PicturesPurpose>;

/** Takes pictures of the media's own smallest video, which is read from `{callbackUrl}/video`. */
export const PicturesJob = JobBase.extend({
  kind: z.literal("pictures"),
  rendition: z.string().regex(/^[a-z0-9-]+$/),
  purpose: PicturesPurpose,
});
export type PicturesJob = z.infer<typeof PicturesJob>;

/** One picture: its time in the media, and how probable it is that it is sexual or pornographic, if it was judged (0 to 1). */
export const JudgedPicture = z.tuple([z.number().min(0), z.number().min(0).max(1).nullable()]);
export type JudgedPicture = z.infer<typeof JudgedPicture>;

export const PicturesResult = z.object({
  kind: z.literal("pictures"),
  /** In the order of their times. Picture `n` is on sheet `⌊n / 9⌋`, at place `n mod 9`. */
  pictures: z.array(JudgedPicture).max(MAX_JUDGED_PICTURES),
  /** Of the classifier; null = none has judged. */
  engine: z.string().nullable(), // "nsfwjs"
  model: z.string().nullable(),
  judgeMs: z.number().min(0),
});
export type PicturesResult = z.infer<typeof PicturesResult>;
