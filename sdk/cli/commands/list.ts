import type { Media } from "../../index.ts";
import { CREDENTIALS_HELP, openSession } from "../session/open-session.ts";
import { type Command, integerIn, readArguments } from "../terminal/arguments.ts";
import { plain } from "../terminal/units.ts";

const USAGE = `sluice list [--limit N]

Lists the media of the workspace, newest first.

  --limit N   at most as many (20); 0 lists all
  --json      prints each record as one line of JSON

${CREDENTIALS_HELP}`;

/** The most records on a page of the API. */
const PAGE = 50;

async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments(args, {
    limit: { type: "string", default: "20" },
    json: { type: "boolean", default: false },
  });
  const limit = integerIn("--limit", values.limit, [0, 1_000_000]) || Infinity;
  const sluice = await openSession();
  const params = { query: { limit: Math.min(limit, PAGE) } };
  let count = 0;
  for await (const media of sluice.list("/v1/on-demand", { params })) {
    console.log(values.json ? JSON.stringify(media) : lineOf(media));
    count += 1;
    if (count === limit) break;
  }
  if (count === 0 && !values.json) console.log("The workspace has no media.");
  return 0;
}

/** Creation, status, duration, id, title, and why it failed. */
function lineOf({ createdAt, status, duration = "", id, title = "", error }: Media): string {
  const created = createdAt.slice(0, 16).replace("T", " ");
  const words = [plain(title), error === undefined ? "" : `(${error.code})`].filter((word) => word !== "").join(" ");
  return `${created}  ${status.padEnd(11)} ${duration.padStart(8)}  ${id}  ${words}`.trimEnd();
}

export const list: Command = { summary: "lists the media of the workspace", usage: USAGE, run };
