/** `node scripts/event-docs.ts`: writes the tables of event kinds in `docs/guides/events.md` from the catalogue. */
import { readFileSync, writeFileSync } from "node:fs";
import { EVENT_KINDS, type EventKind, type EventType } from "../src/events/catalogue.ts";
import { EVENT_AREAS, type EventArea } from "../src/events/catalogue/kind.ts";

export const EVENTS_PAGE = "docs/guides/events.md";
const START = "<!-- kinds: written by `node scripts/event-docs.ts` -->";
const END = "<!-- /kinds -->";

/** The kinds that something sends today. The others have their names and shapes already, and their producers to come. */
export const SENT_TODAY: readonly EventType[] = [
  "asset.created",
  "asset.ready",
  "asset.errored",
  "video.media.updated",
  "video.media.deleted",
  "webhook.delivery.exhausted",
  "webhook.disabled",
];

const HEADINGS: Record<EventArea, string> = {
  media: "Media",
  transform: "Transformations of a media",
  tracks: "Added tracks",
  ai: "In-video AI",
  live: "Live streams",
  playback: "Playback",
  migration: "Migration",
  webhook: "Webhooks",
};

const code = (text: string) => `\`${text}\``;
const toRow = ({ type, videoType, objectType, status, when }: EventKind) => [
  code(type),
  videoType === type ? "the same" : code(videoType),
  code(objectType),
  code(status),
  SENT_TODAY.includes(type) ? "yes" : "not yet",
  when,
];

/** Columns are as wide as their widest cell, as the formatter wants them. */
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

/**
 * The page with its tables as the catalogue has them now.
 * @throws when the page has lost its markers
 */
export function withKindTables(page: string): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${EVENTS_PAGE} has no ${START} … ${END}`);
  return `${page.slice(0, start)}${START}\n\n${kindTables()}\n\n${page.slice(end)}`;
}

if (import.meta.main) writeFileSync(EVENTS_PAGE, withKindTables(readFileSync(EVENTS_PAGE, "utf8")));
