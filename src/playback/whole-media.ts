import { Problem } from "../platform/http/problems.ts";

const WINDOW = ["start", "end"];

/** Only broadcasts are cut by a query. A media would play whole, without a word. @throws {Problem} validation_failed */
export function requireWholeMedia(query: URLSearchParams): void {
  const fields = WINDOW.filter((name) => query.has(name)).map((field) => ({
    field,
    message: "is not available for media",
    hint: "is for streams on air; for a clip of a media, create one with the `startTime` and `endTime` of its input",
  }));
  if (fields.length > 0) throw new Problem("validation_failed", "the query is not valid", { fields });
}
