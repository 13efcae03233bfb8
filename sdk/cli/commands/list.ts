import type { Media } from "../../index.ts";
import { CREDENTIALS_HELP, openSession } from "../session/open-session.ts";
import { defineCommand } from "../terminal/command.ts";
import { flag, integer } from "../terminal/command-line.ts";
import { plain } from "../terminal/units.ts";

/** The most records on a page of the API. */
const PAGE = 50;

async function run(most: number, isJson: boolean): Promise<number> {
  const limit = most || Infinity;
  const sluice = await openSession();
  const params = { query: { limit: Math.min(limit, PAGE) } };
  let count = 0;
  for await (const media of sluice.list("/v1/on-demand", { params })) {
    console.log(isJson ? JSON.stringify(media) : lineOf(media));
    count += 1;
    if (count === limit) break;
  }
  if (count === 0 && !isJson) console.log("The workspace has no media.");
  return 0;
}

/** Creation, status, duration, id, title, and why it failed. */
function lineOf({ createdAt, status, duration = "", id, title = "", error }: Media): string {
  const created = createdAt.slice(0, 16).replace("T", " ");
  const words = [plain(title), error === undefined ? "" : `(${error.code})`].filter((word) => word !== "").join(" ");
  return `${created}  ${status.padEnd(11)} ${duration.padStart(8)}  ${id}  ${words}`.trimEnd();
}

export const list = defineCommand({
  name: "list",
  summary: "lists the media of the workspace",
  about: "Lists the media of the workspace, newest first.",
  options: {
    limit: integer("N", [0, 1_000_000], "the most records; 0 lists all", 20),
    json: flag("prints each record as one line of JSON"),
  },
  notes: CREDENTIALS_HELP,
  run: ({ limit, json }) => run(limit, json),
});
