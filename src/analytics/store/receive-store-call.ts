import type { StoreCalls } from "./store-calls.ts";
import type { ViewTable } from "./view-table.ts";

type Calls = { [Name in keyof StoreCalls]: (table: ViewTable, document: never) => ReturnType<StoreCalls[Name]> };

const CALLS: Calls = {
  put: (table, { view, timeline, revision }: Parameters<StoreCalls["put"]>[0]) => table.put(view, timeline, revision),
  remove: (table, { viewId }: Parameters<StoreCalls["remove"]>[0]) => table.remove(viewId),
  find: (table, { viewId }: Parameters<StoreCalls["find"]>[0]) => table.find(viewId),
  page: (table, { condition, afterMs, afterId }: Parameters<StoreCalls["page"]>[0]) =>
    table.page(condition, afterMs, afterId),
  run: (table, { queries }: Parameters<StoreCalls["run"]>[0]) => queries.map((query) => table.run(query)),
};

export function receiveStoreCall(table: ViewTable, name: string, document: unknown): unknown {
  const call = CALLS[name as keyof StoreCalls] as ((table: ViewTable, document: unknown) => unknown) | undefined;
  if (call === undefined) throw new Error(`a view store does not know ${name}`);
  return call(table, document);
}
