import { z } from "zod";
import { type JudgedPicture, PICTURES_PER_SHEET, SHEET_EDGE } from "../../../protocol/pictures.ts";
import type { TextRequest } from "../providers/index.ts";
import { idOf, meaningOf, type ModerationCategory, SEEN_CATEGORIES } from "./categories.ts";
import { Score } from "../../records/fields.ts";
import type { Finding } from "./moderation-result.ts";

/** Nine pictures with seven numbers each. */
const MAX_OUTPUT_TOKENS = 2000;

/** The pictures of one sheet, by their times. */
export const picturesOn = (pictures: readonly JudgedPicture[], sheet: number): number[] =>
  pictures.slice(sheet * PICTURES_PER_SHEET, (sheet + 1) * PICTURES_PER_SHEET).map(([atMs]) => atMs);

export const sheetsOf = (pictures: readonly JudgedPicture[]): number => Math.ceil(pictures.length / PICTURES_PER_SHEET);

const number = { type: "number" };
const scoresSchema = {
  type: "object",
  properties: Object.fromEntries(SEEN_CATEGORIES.map((category) => [category, number])),
  required: SEEN_CATEGORIES,
  additionalProperties: false,
};
const format = {
  name: "picture_scores",
  schema: {
    type: "object",
    properties: {
      pictures: {
        type: "array",
        items: {
          type: "object",
          properties: { picture: { type: "integer" }, scores: scoresSchema },
          required: ["picture", "scores"],
          additionalProperties: false,
        },
      },
    },
    required: ["pictures"],
    additionalProperties: false,
  },
};

/**
 * What one sheet shows.
 *
 * @param count pictures on the sheet
 * @param image the sheet, as a data URL
 */
export function askPictures(count: number, image: string): TextRequest {
  const meanings = SEEN_CATEGORIES.map((category) => `${category} (${meaningOf(category)})`).join("; ");
  return {
    instructions: [
      `You moderate a video. The image has ${count} of its pictures, in rows of ${SHEET_EDGE}, numbered from 1 at the top left to ${count}; empty places are no pictures.`,
      `Say for each picture how probable it is, from 0 to 1, that it shows each of these categories: ${meanings}.`,
    ].join(" "),
    text: `Pictures 1 to ${count}.`,
    image,
    format,
    likelihoods: Object.fromEntries(
      Array.from({ length: count }, (_, n) =>
        SEEN_CATEGORIES.map((category) => [
          questionOf(n, category),
          `Picture ${n + 1} of the image, which has rows of ${SHEET_EDGE} pictures, shows ${meaningOf(category)}`,
        ]),
      ).flat(),
    ),
    maxOutputTokens: MAX_OUTPUT_TOKENS,
  };
}

const questionOf = (n: number, category: ModerationCategory) => `p${n + 1}.${idOf(category)}`;

const Scores = z.object(
  Object.fromEntries(SEEN_CATEGORIES.map((category) => [category, Score])) as Record<
    (typeof SEEN_CATEGORIES)[number],
    typeof Score
  >,
);
const Chat = z.object({
  pictures: z.array(z.object({ picture: z.int(), scores: Scores })).max(PICTURES_PER_SHEET),
});
const Likelihoods = z.object({ likelihoods: z.record(z.string(), Score) });

/**
 * Every picture has to have every score, between 0 and 1: what a model leaves out, or invents, is no score.
 *
 * @param times of the pictures on the sheet, ms
 * @returns null = these are no scores of these pictures
 */
export function readPictures(value: unknown, times: readonly number[]): Finding[] | null {
  const likely = Likelihoods.safeParse(value);
  const chat = Chat.safeParse(value);
  if (!likely.success && !chat.success) return null;
  const findings: Finding[] = [];
  for (const [n, startMs] of times.entries()) {
    const scores = chat.data?.pictures.find(({ picture }) => picture === n + 1)?.scores;
    for (const category of SEEN_CATEGORIES) {
      const score = scores?.[category] ?? likely.data?.likelihoods[questionOf(n, category)];
      if (score === undefined) return null;
      findings.push({ category, score, startMs, source: "picture" });
    }
  }
  return findings;
}

/**
 * What the encoder's own classifier has found, which knows one category. It is wrong about single pictures of dark scenes (decision 0145), so a picture has at most the
 * score of the higher one of its neighbours: what is shown for five seconds or more is on two of them.
 */
export function findingsOfJudged(pictures: readonly JudgedPicture[]): Finding[] {
  const judged = pictures.flatMap(([startMs, score]) => (score === null ? [] : [{ startMs, score }]));
  return judged.map(({ startMs, score }, n): Finding => {
    const beside = [judged[n - 1], judged[n + 1]].flatMap((one) => (one === undefined ? [] : [one.score]));
    const confirmed = beside.length === 0 ? score : Math.min(score, Math.max(...beside));
    return { category: "sexual", score: confirmed, startMs, source: "picture" };
  });
}
