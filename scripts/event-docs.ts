/**
 * `npm run event:docs`: generates the tables of event kinds in `docs/guides/events.md` from the catalogue, and the table of
 * tries in `docs/guides/webhooks.md` from the schedule.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { EVENT_KINDS, type EventKind } from "../src/events/catalogue/catalogue.ts";
import { EVENT_AREAS, type EventArea } from "../src/events/catalogue/kind.ts";
import { retryTable } from "../src/events/webhooks/sender/retry-schedule.ts";

export const EVENTS_PAGE = "docs/guides/events.md";
export const WEBHOOKS_PAGE = "docs/guides/webhooks.md";

const HEADINGS: Record<EventArea, string> = {
  media: "Media",
  transform: "Transformations of a media",
  tracks: "Added tracks",
  ai: "In-video AI",
  live: "Live streams",
  playback: "Playback",
  data: "Video data",
  migration: "Migration",
  webhook: "Webhooks",
};

const code = (text: string) => `\`${text}\``;
const toRow = ({ type, videoType, isSent, objectType, status, when }: EventKind) => [
  code(type),
  videoType === type ? "the same" : code(videoType),
  code(objectType),
  code(status),
  isSent ? "yes" : "not yet",
  when,
];

/** Columns are as wide as their widest cell, as oxfmt formats them. */
function toTable(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const [head, ...body] = rows;
  return [line(head!), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

function kindTables(): string {
  const head = ["Kind", "With `naming: video`", "`object.type`", "`status`", "Sent", "When"];
  return EVENT_AREAS.map((area) => {
    const rows = EVENT_KINDS.filter((kind) => kind.area === area).map(toRow);
    return `### ${HEADINGS[area]}\n\n${toTable([head, ...rows])}`;
  }).join("\n\n");
}

function triesTable(): string {
  const rows = retryTable().map(({ tryNumber, afterMs, sinceFirstMs }) => [
    String(tryNumber),
    inWords(afterMs),
    inWords(sinceFirstMs),
  ]);
  return toTable([["Try", "Wait before it", "Since the first"], ["1", "none", "0 s"], ...rows]);
}

/** The two largest non-zero units: `2 min 35 s`, `10 h 30 min`. */
function inWords(durationMs: number): string {
  const seconds = Math.round(durationMs / 1000);
  const units: [number, string][] = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ];
  const shown = units.filter(([count]) => count > 0).slice(0, 2);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}

/**
 * The page with the tables of the current catalogue.
 * @throws when the page has no markers
 */
export const withKindTables = (page: string) => withPart(page, EVENTS_PAGE, "kinds", kindTables());

/** The page with the table of the current schedule. */
export const withTriesTable = (page: string) => withPart(page, WEBHOOKS_PAGE, "tries", triesTable());

function withPart(page: string, path: string, name: string, part: string): string {
  const opening = `<!-- ${name}: written by \`npm run event:docs\` -->`;
  const [start, end] = [page.indexOf(opening), page.indexOf(`<!-- /${name} -->`)];
  if (start < 0 || end < start) throw new Error(`${path} has no ${opening} … <!-- /${name} -->`);
  return `${page.slice(0, start)}${opening}\n\n${part}\n\n${page.slice(end)}`;
}

if (import.meta.main) {
  writeFileSync(EVENTS_PAGE, withKindTables(readFileSync(EVENTS_PAGE, "utf8")));
  writeFileSync(WEBHOOKS_PAGE, withTriesTable(readFileSync(WEBHOOKS_PAGE, "utf8")));
}
