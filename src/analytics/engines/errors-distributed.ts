import type { AnswerRow } from "../r2-sql/ask-r2-sql.ts";
import { contextsIn, errorKey, mergeErrors } from "../questions/count-errors.ts";
import { contextsQuery, errorQueries } from "../questions/embedded-sql.ts";
import { ALL } from "../questions/group-key.ts";
import type { Scope } from "../questions/scope.ts";
import type { ErrorFigures, SeenError } from "../questions/view-engine.ts";
import type { ViewRecord } from "../views/view-record.ts";
import {
  contextsStatement,
  errorOverlapStatement,
  errorsStatement,
  overlapStatement,
  totalsStatement,
} from "./r2-statements.ts";
import {
  askOverlap,
  askRemainder,
  askTable,
  handedOverIn,
  remainderOf,
  rowsBeside,
  type Sources,
} from "./two-sources.ts";

/** The errors that ended views, the 10,000 most frequent of the table. */
export async function errorsDistributed(sources: Sources, scope: Scope): Promise<ErrorFigures> {
  const remainders = await askRemainder(sources, scope, { queries: errorQueries(remainderOf(scope)) });
  const rows = rowsBeside(sources, handedOverIn(remainders), scope);
  const here = mergeErrors(remainders.map((remainder) => remainder.rows));
  const question = { scope, metric: "views", measurement: "count", key: ALL } as const;
  const [all] = await askTable(sources, rows, (of) => totalsStatement(of, question));
  const found = await askTable(sources, rows, errorsStatement);
  const errors = new Map<string, SeenError>(
    here.errors.map((error) => [errorKey(error.code, error.message), { ...error, viewers: error.viewers.size }]),
  );
  for (const row of found) addError(errors, row);

  const viewers = [...here.viewers].map(String);
  const shared = await askOverlap(sources, rows, viewers, (of, some) => overlapStatement(of, question, some));
  const met = new Map(here.errors.map(({ code, message, viewers: ids }) => [errorKey(code, message), ids]));
  const failed = [...new Set(here.errors.flatMap((error) => [...error.viewers].map(String)))];
  for (const row of await askOverlap(sources, rows, failed, errorOverlapStatement)) {
    const key = keyOf(row);
    const error = errors.get(key);
    if (error !== undefined && met.get(key)?.has(String(row["viewer"])) === true) error.viewers -= 1;
  }
  return {
    views: here.views + Number(all?.["all_views"] ?? 0),
    viewers: here.viewers.size + Number(all?.["all_viewers"] ?? 0) - shared.length,
    errors: [...errors.values()],
  };
}

/** The contexts of errors that were counted in the same scope. */
export async function contextsDistributed(
  sources: Sources,
  scope: Scope,
  errors: readonly SeenError[],
): Promise<Map<string, string>> {
  const remainders = await askRemainder(sources, scope, { queries: [contextsQuery(remainderOf(scope), errors)] });
  const rows = rowsBeside(sources, handedOverIn(remainders), scope);
  const found = await askTable(sources, rows, (of) => contextsStatement(of, errors));
  const ofTable = found.map((row) => ({
    code: String(row["error_code"]),
    message: String(row["error_message"]),
    context: (JSON.parse(String(row["record"])) as ViewRecord).errorContext,
  }));
  return contextsIn([...ofTable, ...remainders.flatMap((remainder) => remainder.rows[0]!)]);
}

const keyOf = (row: AnswerRow) => errorKey(String(row["code"]), String(row["message"]));

function addError(errors: Map<string, SeenError>, row: AnswerRow): void {
  const known = errors.get(keyOf(row));
  errors.set(keyOf(row), {
    code: String(row["code"]),
    message: String(row["message"]),
    count: (known?.count ?? 0) + Number(row["all_views"]),
    lastMs: Math.max(known?.lastMs ?? 0, Number(row["last_ended"])),
    viewers: (known?.viewers ?? 0) + Number(row["all_viewers"]),
  });
}
