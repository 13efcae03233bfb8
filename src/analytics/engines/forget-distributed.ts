import { forgetViewer } from "../questions/forget-viewer.ts";
import { countQuery } from "../questions/embedded-sql.ts";
import { REMAINDER } from "../store/hand-over-table.ts";
import { SDK_VIEWER } from "../store/view-schema.ts";
import { literal } from "../r2-sql/literal.ts";
import { hashOf } from "../store/forgotten-viewers.ts";
import type { Forgotten } from "../store/store-calls.ts";
import { countStatement } from "./r2-statements.ts";
import { askRemainder, askTable, handedOverIn, rowsBeside, type Sources } from "./two-sources.ts";

/**
 * Deletes the views of a viewer from the stores. R2 SQL cannot delete rows. The stores keep a hash of the id, by which every question excludes the
 * viewer's rows of the table.
 */
export async function forgetDistributed(sources: Sources, viewerId: string): Promise<Forgotten> {
  const { env, workspaceId, nowMs } = sources;
  const theirs = `(viewer_id = ? OR ${SDK_VIEWER} = ?) AND view_start_ms <= ? AND ${REMAINDER}`;
  const queries = [countQuery({ sql: theirs, values: [viewerId, viewerId, nowMs] })];
  const remainders = await askRemainder(sources, { fromMs: 0, toMs: nowMs }, { queries });
  const rows = rowsBeside(sources, handedOverIn(remainders), null);
  const hash = literal(await hashOf(viewerId));
  const isTheirs = `(viewer_hash = ${hash} OR sdk_viewer_hash = ${hash}) AND view_start_ms <= ${literal(nowMs)}`;
  const [row] = await askTable(sources, rows, ({ table, where }) =>
    countStatement({ table, where: `${where} AND ${isTheirs}` }),
  );
  const here = remainders.reduce((sum, remainder) => sum + Number(remainder.rows[0]![0]!["count"]), 0);
  const views = here + Number(row?.["view_count"] ?? 0);
  const forgotten = await forgetViewer(env, workspaceId, viewerId, nowMs);
  // At most all views: the stores also count rows that count in the table and are not deleted yet.
  const remainingViews = Math.min(forgotten.remainingViews, views);
  return { deletedViews: views - remainingViews, remainingViews };
}
