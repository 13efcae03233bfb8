/** The report of a batch as lines for a terminal. Pure. */
import { countText, plain, sizeText, usdText, waitText } from "../terminal/units.ts";
import type { Batch, BatchReport } from "./records.ts";

const MOST_LINES = 10;
const NAME_WIDTH = 22;

const row = (name: string, text: string): string => `  ${name.padEnd(NAME_WIDTH)} ${text}`;
const estimated = (isEstimated: boolean): string => (isEstimated ? "about " : "");

/** The reasons are then those of the list, which are shown already. */
const isDryRun = ({ import: { status } }: BatchReport): boolean => status === "scanning" || status === "scanned";

/** What cannot be fetched has failed then, and is among the reasons. */
const hasEnded = ({ import: { status } }: BatchReport): boolean => status === "done" || status === "cancelled";

interface MissingPermission {
  permission: string;
  message: string;
}

/** An older platform does not say it. */
const missingPermissionsOf = (report: BatchReport & { missingPermissions?: MissingPermission[] }) =>
  report.missingPermissions ?? [];

/** @param titles of the first videos */
export function reportLines(report: BatchReport, titles: readonly string[] = []): string[] {
  return [
    ...found(report, titles),
    ...section(
      "The credentials lack",
      missingPermissionsOf(report).map(({ permission, message }) => `${plain(permission)}: ${plain(message)}`),
    ),
    ...section(
      hasEnded(report) ? "What was lost" : "What will be lost",
      report.lost.map(({ what, videos }) => `${plain(what)} (${affected(videos)})`),
    ),
    ...section(
      "What cannot be fetched",
      (hasEnded(report) ? [] : report.obstacles).map(
        ({ sourceId, title, message }) => `${nameOf(sourceId, title)}: ${plain(message)}`,
      ),
    ),
    ...section("Failed or skipped", isDryRun(report) ? [] : report.reasons.map(reasonLine)),
    ...section(
      "What differs from the source",
      report.differences.map(
        ({ items, field, message, examples }) =>
          `${countText(items)} × ${plain(field)}: ${plain(message)}${suchAs(examples)}`,
      ),
    ),
  ];
}

function found({ found, estimate, sampled }: BatchReport, titles: readonly string[]): string[] {
  const policies = Object.entries(found.policies).map(([policy, videos]) => `${countText(videos)} ${policy}`);
  return [
    row("Videos", countText(found.videos)),
    ...(titles.length === 0
      ? []
      : [row("The first ones", `${titles.map(plain).join(" · ")}${found.videos > titles.length ? " …" : ""}`)]),
    row("Hours", `${estimated(found.isHoursEstimated)}${hoursText(found)}`),
    row("Size at the source", `${estimated(found.isBytesEstimated)}${sizeText(found.sourceBytes)}`),
    ...(policies.length === 0 ? [] : [row("Policy at the source", policies.join(", "))]),
    row(
      "Cost",
      `${usdText(estimate.onceUsd)} once, ${usdText(estimate.monthlyUsd)} a month (estimated, by list prices)`,
    ),
    row("Time", `about ${waitText(estimate.totalSeconds)}`),
    ...some("Migrated before", found.alreadyImported, "skipped"),
    ...some("Listed repeatedly", found.repeated, "taken once"),
    ...some("Tried as a sample", sampled, ""),
  ];
}

/** The API rounds to 0.01 hours. */
function hoursText({ hours, videos }: BatchReport["found"]): string {
  if (hours === 0 && videos > 0) return "less than 0.01";
  return hours.toLocaleString("en-US", { maximumFractionDigits: hours < 10 ? 2 : 0 });
}

const some = (name: string, count: number, what: string): string[] =>
  count === 0 ? [] : [row(name, [countText(count), what].filter((word) => word !== "").join(", "))];

const affected = (videos: number | undefined): string =>
  videos === undefined ? "all videos" : `${countText(videos)} ${videos === 1 ? "video" : "videos"}`;

const nameOf = (id: string, title: string | undefined): string =>
  title === undefined ? plain(id) : `${plain(title)} (${plain(id)})`;

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MOST_LINES;
  const shown = lines.slice(0, MOST_LINES).map((line) => `    ${line}`);
  return ["", `  ${title}`, ...shown, ...(more > 0 ? [`    and ${countText(more)} more`] : [])];
}

const EXAMPLES = 3;

function suchAs(examples: readonly string[]): string {
  return examples.length === 0 ? "" : ` (such as ${examples.slice(0, EXAMPLES).map(plain).join(", ")})`;
}

/** Why some items failed or were skipped, on one line. */
export function reasonLine({ status, items, code, message, examples }: BatchReport["reasons"][number]): string {
  const why = plain(message) || plain(code);
  return `${countText(items)} ${plain(status)}${why === "" ? "" : `: ${why}`}${suchAs(examples)}`;
}

/** Creation, state, source, what became of the items, and the id, on one line. */
export function batchLine({ createdAt, status, source, counts, id, problem }: Batch): string {
  const created = createdAt.slice(0, 16).replace("T", " ");
  const { ready, total, failed } = counts;
  const failures = failed === 0 ? "" : `, ${countText(failed)} failed`;
  const items = `${countText(ready)} of ${countText(total)} ready${failures}`;
  const why = problem === undefined ? "" : `  (${plain(problem.code)})`;
  return `${created}  ${status.padEnd(9)} ${String(source["type"]).padEnd(17)} ${id}  ${items}${why}`;
}
