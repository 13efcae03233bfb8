import { MODERATION_CATEGORIES } from "./categories.ts";
import type { Finding, ModerationResult, ModerationScore } from "./moderation-result.ts";

const MOST_MOMENTS = 10;
/** Moments that are nearer to each other are one. */
const MOMENTS_APART_MS = 5000;
/** Lower scores are no moments, unless they flag the media. */
const LEAST_MOMENT_SCORE = 0.2;

type Scored = Pick<ModerationResult, "scores" | "moments" | "isFlagged" | "threshold">;

/** The highest score of each category that was judged, and the worst moments. Pure. */
export function combine(findings: readonly Finding[], threshold: number): Scored {
  const highest = new Map<string, number>();
  for (const { category, score } of findings) highest.set(category, Math.max(score, highest.get(category) ?? 0));
  const scores = MODERATION_CATEGORIES.flatMap((category): ModerationScore[] => {
    const score = highest.get(category);
    return score === undefined ? [] : [{ category, score: rounded(score) }];
  });
  return { scores, moments: worstOf(findings, threshold), isFlagged: flagged(scores, threshold).length > 0, threshold };
}

/** The scores above the threshold. */
export const flagged = (scores: readonly ModerationScore[], threshold: number): ModerationScore[] =>
  scores.filter(({ score }) => score > threshold);

function worstOf(findings: readonly Finding[], threshold: number): Finding[] {
  const moments: Finding[] = [];
  const least = Math.min(LEAST_MOMENT_SCORE, threshold);
  const byScore = findings
    .filter(({ score }) => score >= least && score > 0)
    .toSorted((a, b) => b.score - a.score || a.startMs - b.startMs);
  for (const finding of byScore) {
    if (moments.length === MOST_MOMENTS) break;
    if (moments.every(({ startMs }) => Math.abs(startMs - finding.startMs) >= MOMENTS_APART_MS))
      moments.push({ ...finding, score: rounded(finding.score) });
  }
  return moments;
}

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;
