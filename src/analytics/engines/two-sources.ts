/** The views of a distributed workspace: rows of the table, and the remainder in the stores of the months. */
import type { Env } from "../../platform/env.ts";
import { askR2Sql, type AnswerRow } from "../r2-sql/ask-r2-sql.ts";
import { countingRows, type HandedOver } from "../r2-sql/handed-over.ts";
import type { R2SqlSettings } from "../r2-sql/settings.ts";
import { monthsIn } from "../questions/ask-stores.ts";
import { R2_SQL } from "../questions/dialect.ts";
import { conditionOf, type Scope } from "../questions/scope.ts";
import { REMAINDER } from "../store/hand-over-table.ts";
import { retentionMs } from "../store/retention.ts";
import { viewStore, type Query, type Remainder, type RemainderQuery } from "../store/store-calls.ts";
import type { Rows } from "./r2-statements.ts";

export interface Sources {
  env: Env;
  settings: R2SqlSettings;
  workspaceId: string;
  nowMs: number;
}

/** Restricts a question to the rows of a store that do not count in the table. */
export function remainderOf(scope: Scope): Query {
  const { sql, values } = conditionOf(scope);
  return { sql: `${sql} AND ${REMAINDER}`, values };
}

/** Asks the stores first; the table's query excludes what they still hold. */
export const askRemainder = (
  { env, workspaceId, nowMs }: Sources,
  scope: Pick<Scope, "fromMs" | "toMs">,
  question: Pick<RemainderQuery, "queries" | "watched">,
): Promise<Remainder[]> =>
  Promise.all(
    monthsIn(env, scope, nowMs).map((month) =>
      viewStore(env, { workspaceId, month }).readRemainder({ workspaceId, month, ...question }),
    ),
  );

/** The rows of the table that these remainders do not include. @returns null when there are none */
export function rowsBeside(
  { env, settings, workspaceId, nowMs }: Sources,
  handedOver: readonly HandedOver[],
  scope: Scope | null,
): Rows | null {
  const counting = countingRows(workspaceId, handedOver, nowMs - retentionMs(env));
  if (counting === null) return null;
  return {
    table: settings.table,
    where: scope === null ? counting : `${counting} AND ${conditionOf(scope, R2_SQL).sql}`,
  };
}

export const handedOverIn = (remainders: readonly Remainder[]): HandedOver[] =>
  remainders.map(({ handedOver }) => handedOver);

/** @returns the rows; none when no row of the table counts */
export const askTable = (
  { settings }: Sources,
  rows: Rows | null,
  statement: (rows: Rows) => string,
): Promise<AnswerRow[]> => (rows === null ? Promise.resolve([]) : askR2Sql(settings, statement(rows)));

/** Most viewers per statement, and per answer. */
const [VIEWERS_AT_ONCE, MAX_VIEWERS] = [2000, 10_000];

/**
 * The viewers of the remainder who also have views in the table. Beyond 10,000 they are not looked up, and count in both.
 *
 * @param statement the query for some of them
 */
export async function askOverlap(
  sources: Sources,
  rows: Rows | null,
  viewers: readonly string[],
  statement: (rows: Rows, viewers: string[]) => string,
): Promise<AnswerRow[]> {
  const found: AnswerRow[] = [];
  for (let at = 0; at < Math.min(viewers.length, MAX_VIEWERS); at += VIEWERS_AT_ONCE) {
    const some = viewers.slice(at, at + VIEWERS_AT_ONCE);
    found.push(...(await askTable(sources, rows, (of) => statement(of, some))));
  }
  return found;
}
