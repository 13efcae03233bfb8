import { timeOf } from "../../terminal/units.ts";
import { UsageError } from "../../terminal/usage-error.ts";
import { ask, askChoice } from "../questions.ts";
import type { BatchSelection } from "../records.ts";
import type { Given } from "./options.ts";

/** The most of one batch. */
const MAX_IDS = 1000;

/** What the options select; null = none of them is given. @throws {UsageError} */
export function givenSelection(given: Given, now: Date): BatchSelection | null {
  const { id: ids, limit, "created-after": after, "created-before": before } = given;
  if (ids.length > MAX_IDS) throw new UsageError(`--id names ${ids.length} videos; a batch takes at most ${MAX_IDS}.`);
  const selection = {
    ...(ids.length === 0 ? {} : { ids: [...ids] }),
    ...(after === undefined ? {} : { createdAfter: timeGiven("created-after", after, now) }),
    ...(before === undefined ? {} : { createdBefore: timeGiven("created-before", before, now) }),
    ...(limit === undefined ? {} : { limit }),
  };
  return Object.keys(selection).length === 0 ? null : selection;
}

const TIME_FORMS = "give 2026-05-20, 2026-05-20T12:00:00Z, or an age such as 30d";

function timeGiven(option: string, text: string, now: Date): string {
  const time = timeOf(text, now);
  if (time === null) throw new UsageError(`--${option} is "${text}"; ${TIME_FORMS}.`);
  return time.toISOString();
}

/** Asks which videos are meant. */
export async function askSelection(now: Date): Promise<BatchSelection> {
  const kind = await askChoice(
    "Which videos",
    "--yes",
    [
      ["all", "all of them"],
      ["ids", "some, by their ids at the source"],
      ["created", "those created in a time"],
      ["limit", "the first ones, to try it"],
    ],
    "all",
  );
  if (kind === "ids") return { ids: await askIds() };
  if (kind === "limit") return { limit: await askLimit() };
  if (kind === "all") return {};
  const [after, before] = [await askTime("Created after", now), await askTime("Created before", now)];
  return { ...(after && { createdAfter: after }), ...(before && { createdBefore: before }) };
}

const askIds = (): Promise<string[]> =>
  ask("Ids, separated by commas or spaces", "--id", (answer) => {
    const ids = answer.split(/[\s,]+/).filter((id) => id !== "");
    if (ids.length > 0 && ids.length <= MAX_IDS) return { value: ids };
    return { wrong: `Give 1 to ${MAX_IDS} ids. One that has a space or a comma is given with --id.` };
  });

const askLimit = (): Promise<number> =>
  ask("How many", "--limit", (answer) => {
    const limit = Number(answer);
    return Number.isInteger(limit) && limit > 0 ? { value: limit } : { wrong: "Give a number, such as 10." };
  });

const askTime = (question: string, now: Date): Promise<string | null> =>
  ask(`${question} (empty = no limit)`, "--created-after", (answer) => {
    if (answer === "") return { value: null };
    const time = timeOf(answer, now);
    return time === null ? { wrong: `This is no time: ${TIME_FORMS}.` } : { value: time.toISOString() };
  });
