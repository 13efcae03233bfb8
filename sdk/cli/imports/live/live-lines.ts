/** What the live view shows of a batch. Pure. */
import { styleText } from "node:util";
import { countText, plain, waitText } from "../../terminal/units.ts";
import type { Batch, BatchReport } from "../records.ts";
import { reasonLine } from "../report-text.ts";

const BAR_WIDTH = 40;
const MOST_REASONS = 6;

type Reasons = BatchReport["reasons"];

/** Items that have their end, in percent of all. */
export function endedPercent({ counts: { total, ready, failed, skipped } }: Pick<Batch, "counts">): number {
  return total === 0 ? 0 : Math.floor(((ready + failed + skipped) / total) * 100);
}

/** @param width of the terminal: a line that wraps would be drawn twice */
export function liveLines(batch: Batch, reasons: Reasons, { width, note }: { width: number; note: string }): string[] {
  const failed = reasons.filter(({ status }) => status === "failed").map(reasonLine);
  const lines = [
    countsText(batch),
    paceText(batch),
    problemText(batch) ?? "",
    ...failed.slice(0, MOST_REASONS),
    failed.length > MOST_REASONS ? `and ${countText(failed.length - MOST_REASONS)} more reasons` : "",
    note,
  ];
  return [barLine(batch), ...lines.filter((line) => line !== "").map((line) => `  ${line}`.slice(0, width - 1))];
}

function barLine(batch: Batch): string {
  const { total, ready, failed, skipped, submitted } = batch.counts;
  const share = (count: number) => (total === 0 ? 0 : (count / total) * BAR_WIDTH);
  let [at, bar] = [0, ""];
  for (const [count, color] of [
    [ready + skipped, "green"],
    [failed, "red"],
    [submitted, "cyan"],
  ] as const) {
    const until = count === 0 ? at : Math.min(BAR_WIDTH, Math.max(at + 1, Math.round(at + share(count)))); // one is seen
    bar += styleText(color, "█".repeat(until - at));
    at = until;
  }
  return `  ${bar}${styleText("dim", "░".repeat(BAR_WIDTH - at))} ${endedPercent(batch)} %`;
}

export function countsText({ counts, preparedAtSource = 0 }: Pick<Batch, "counts" | "preparedAtSource">): string {
  const { total, ready, submitted, pending, failed, skipped } = counts;
  const parts = [
    `${countText(ready)} of ${countText(total)} ready`,
    submitted > 0 && `${countText(submitted)} in preparation`,
    preparedAtSource > 0 && `${countText(preparedAtSource)} prepared by the source`,
    pending > preparedAtSource && `${countText(pending - preparedAtSource)} waiting`,
    failed > 0 && `${countText(failed)} failed`,
    skipped > 0 && `${countText(skipped)} skipped`,
  ];
  return parts.filter((part) => part !== false).join(" · ");
}

function paceText({ itemsPerMinute, secondsLeft, status }: Batch): string {
  if (status !== "running") return status;
  const parts = [
    itemsPerMinute === undefined ? "throughput not known yet" : `${itemsPerMinute.toLocaleString("en-US")} a minute`,
    secondsLeft === undefined ? "" : `about ${waitText(secondsLeft)} left`,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** Why the batch waits, and until when; null = nothing is wrong. */
export function problemText({ problem, nextAttemptAt }: Pick<Batch, "problem" | "nextAttemptAt">): string | null {
  if (problem === undefined) return null;
  const next =
    nextAttemptAt === undefined ? "" : ` Next attempt at ${new Date(nextAttemptAt).toLocaleTimeString("en-GB")}.`;
  return `${plain(problem.message)}${next}`;
}
