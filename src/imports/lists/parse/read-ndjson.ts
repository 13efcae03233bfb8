import { API_JSON, exceededBound } from "../../../platform/http/json-bounds.ts";
import { refuseFile } from "./refuse-file.ts";
import { MAX_ROW_LENGTH, type RawRow, TOO_LONG } from "./raw-row.ts";

/**
 * One JSON object a line; empty lines are none. A line that is no object is a row that cannot be used.
 *
 * @throws {Problem} validation_failed for a line beyond MAX_ROW_LENGTH
 */
export async function* readNdjson(texts: AsyncIterable<string>): AsyncGenerator<RawRow> {
  let rest = "";
  for await (const text of texts) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield rowOf(line);
    if (rest.length > MAX_ROW_LENGTH) throw refuseFile(`has a line that ${TOO_LONG}`, "must have one video a line");
  }
  if (rest.trim() !== "") yield rowOf(rest);
}

function rowOf(line: string): RawRow {
  if (line.length > MAX_ROW_LENGTH) return { message: TOO_LONG };
  const exceeded = exceededBound(line, { ...API_JSON, maxBytes: MAX_ROW_LENGTH });
  if (exceeded !== null) return { message: exceeded };
  try {
    return toRow(JSON.parse(line));
  } catch {
    return { message: "is not JSON" };
  }
}

export function toRow(value: unknown): RawRow {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { message: "is not a JSON object" };
  return { fields: Object.entries(value) };
}
