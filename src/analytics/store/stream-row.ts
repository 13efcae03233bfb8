import { sha256Hex } from "../../platform/crypto/hash.ts";
import { storableText } from "../r2-sql/literal.ts";
import type { TimelineEvent } from "../views/view-event.ts";
import type { ViewRecord } from "../views/view-record.ts";
import { watchedRanges } from "../views/watched-ranges.ts";
import { VIEW_COLUMNS } from "./columns.ts";
import type { Row } from "./store-calls.ts";

/** Converts a row of the embedded engine to a record of the stream. */
export async function streamRow(row: Row, batch: number, of: { workspace_id: string; month: string }) {
  const { viewerId, fpViewerId } = JSON.parse(String(row["record"])) as ViewRecord;
  const hashOf = (id: string | null) => (id === null ? "" : sha256Hex(id));
  const watched = row["watched"] ?? JSON.stringify(watchedRanges(JSON.parse(timelineIn(row)) as TimelineEvent[]));
  const columns = VIEW_COLUMNS.map((name) => {
    const value = row[name] ?? null;
    return [name, typeof value === "string" ? storableText(value) : value];
  });
  return {
    ...(Object.fromEntries(columns) as Row),
    workspace_id: of.workspace_id,
    month: of.month,
    viewer_hash: await hashOf(viewerId),
    sdk_viewer_hash: await hashOf(fpViewerId),
    timeline: timelineIn(row),
    watched,
    batch,
  };
}

const timelineIn = (row: Row): string => String(row["events"] ?? "[]");
