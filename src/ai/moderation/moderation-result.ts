import { z } from "@hono/zod-openapi";
import { Score } from "../../records/fields.ts";
import { MODERATION_CATEGORIES } from "./categories.ts";

const MODERATION_TYPES = ["video", "audio", "av"] as const;

/** `block`: a media that is flagged is held, until somebody clears it. */
const MODERATION_ACTIONS = ["none", "block"] as const;

/** What a request says. `true` is what older texts of the contract have. */
const Fields = z.object({
  type: z.enum(MODERATION_TYPES).default("audio").openapi({
    description: "What is scored: the pictures, what is said, or both",
  }),
  action: z.enum(MODERATION_ACTIONS).default("none").openapi({
    description: "`block`: a media that is flagged plays nowhere, until POST …/moderation/clear",
  }),
});
export const ModerationRequest = z
  .preprocess((value) => (value === true ? {} : value), Fields)
  .openapi({ type: "object", description: "`true` is the same as `{}`" });

/** A score above it flags a media, where the workspace has set no other. */
export const USUAL_THRESHOLD = 0.5;

export interface ModerationOrder extends z.infer<typeof Fields> {
  /** The workspace's, when it was asked for. A score above it flags the media. */
  threshold: number;
}

/** What one picture or one sentence was scored for one category. Times are milliseconds of the media. */
export interface Finding {
  category: (typeof MODERATION_CATEGORIES)[number];
  score: number;
  startMs: number;
  /** The end of what is said; a picture has none. */
  endMs?: number;
  source: "picture" | "speech";
}

export const ModerationScore = z.strictObject({ category: z.enum(MODERATION_CATEGORIES), score: Score });
export type ModerationScore = z.infer<typeof ModerationScore>;

/** Who has judged the pictures, or what is said. */
const Judge = z.strictObject({ engine: z.string(), model: z.string().optional() });
export type Judge = z.infer<typeof Judge>;

export const MODERATION_HALVES = ["pictures", "speech"] as const;
export type ModerationHalf = (typeof MODERATION_HALVES)[number];

/** What the record of the media shows, except the thumbnails of its moments. */
export const ModerationResult = z.strictObject({
  /** A category that nobody could judge is absent. */
  scores: z.array(ModerationScore),
  /** The highest first. */
  moments: z.array(
    ModerationScore.extend({
      startMs: z.number(),
      endMs: z.number().optional(),
      source: z.enum(["picture", "speech"]),
    }),
  ),
  isFlagged: z.boolean(),
  threshold: Score,
  pictures: Judge.extend({ count: z.int() }).optional(),
  speech: Judge.extend({ trackId: z.uuid() }).optional(),
  /** What was asked for and could not be judged. */
  notJudged: z
    .array(z.strictObject({ half: z.enum(MODERATION_HALVES), code: z.string(), message: z.string() }))
    .optional(),
});
export type ModerationResult = z.infer<typeof ModerationResult>;

/** Whether what was made of a media is a result of moderation that flags it. */
export const isFlagged = ({ result }: { result: object | null }): boolean =>
  result !== null && "isFlagged" in result && result.isFlagged === true;
