import { join } from "node:path";
import { withLocalData } from "../../scripts/local/database.ts";

/** The state of a stopped platform in D1 and R2. */
export interface StoredState {
  /** Rows of a query on the catalogue. */
  rows<T>(query: string, ...bindings: unknown[]): Promise<T[]>;
  /** Keys in R2 below a prefix. */
  keys(prefix: string): Promise<string[]>;
}

/** Opens the state of a stopped platform, without its Worker. */
export async function withState<T>(home: string, look: (state: StoredState) => Promise<T>): Promise<T> {
  return await withLocalData(join(home, "state"), async (host) => {
    const database = (await host.getD1Database("DB")) as unknown as D1Like;
    const bucket = (await host.getR2Bucket("MEDIA")) as unknown as R2Like;
    return await look({
      rows: async <R>(query: string, ...bindings: unknown[]) =>
        (
          await database
            .prepare(query)
            .bind(...bindings)
            .all()
        ).results as R[],
      async keys(prefix) {
        const keys: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await bucket.list({ prefix, ...(cursor === undefined ? {} : { cursor }) });
          keys.push(...page.objects.map(({ key }) => key));
          cursor = page.truncated ? page.cursor : undefined;
        } while (cursor !== undefined);
        return keys.sort();
      },
    });
  });
}

interface D1Like {
  prepare(query: string): { bind(...bindings: unknown[]): { all(): Promise<{ results: unknown[] }> } };
}
interface R2Like {
  list(options: {
    prefix: string;
    cursor?: string;
  }): Promise<{ objects: { key: string }[]; truncated: boolean; cursor?: string }>;
}
