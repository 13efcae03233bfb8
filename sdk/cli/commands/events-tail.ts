import { styleText } from "node:util";
import type { MediaEvent, Sluice } from "../../index.ts";
import { CREDENTIALS_HELP, openSession } from "../session/open-session.ts";
import { defineCommand } from "../terminal/command.ts";
import { flag, integer, text, type Values } from "../terminal/command-line.ts";
import { interruptSignal } from "../terminal/interrupt.ts";
import { timeOf } from "../terminal/units.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { highlightsOf } from "../webhooks/arrival-format.ts";
import { plain } from "../terminal/units.ts";

const OPTIONS = {
  type: text("PATTERN", "a kind, or a prefix such as asset.*"),
  object: text("ID", "of one media, stream or webhook"),
  since: text("TIME", "from then on, instead of the newest: 10m, 24h, or 2026-05-20T12:00:00Z"),
  limit: integer("N", [0, 100], "how many of the newest, at most 100", 10),
  json: flag("prints each event as one line of JSON"),
};

async function run(values: Values<typeof OPTIONS>): Promise<number> {
  const { limit } = values;
  const given = values.since === undefined ? undefined : timeOf(values.since, new Date());
  if (given === null) throw new UsageError(`--since is "${values.since}"; give 10m, 24h, 30d, or a time of ISO 8601.`);
  const filter = { type: values.type, objectId: values.object };
  const sluice = await openSession();
  const since = given ?? (await timeOfNewest(sluice, filter, limit));
  for await (const event of sluice.followEvents({ ...filter, since, signal: interruptSignal() }))
    console.log(values.json ? JSON.stringify(event) : lineOf(event));
  return 0;
}

/** The time of the oldest of the newest events; undefined when there are none. */
async function timeOfNewest(
  sluice: Sluice,
  { type, objectId }: { type: string | undefined; objectId: string | undefined },
  limit: number,
): Promise<Date | undefined> {
  if (limit === 0) return undefined;
  const query = { limit, ...(type && { type }), ...(objectId && { objectId }) };
  const { data } = await sluice.get("/v1/events", { params: { query } });
  const oldest = data.at(-1);
  return oldest && new Date(oldest.createdAt);
}

function lineOf(event: MediaEvent): string {
  const time = styleText("dim", event.createdAt.slice(0, 23).replace("T", " "));
  const detail = highlightsOf(event.data).join(" · ");
  return `${time}  ${styleText("bold", plain(event.type).padEnd(28))} ${plain(event.object.id)}  ${styleText("dim", detail)}`.trimEnd();
}

export const eventsTail = defineCommand({
  name: "events tail",
  summary: "shows events as they happen",
  about: "Shows the newest events of the workspace, and those that follow, until Ctrl-C.",
  options: OPTIONS,
  notes: CREDENTIALS_HELP,
  run,
});
