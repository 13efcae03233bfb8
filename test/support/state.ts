import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";

/** The state of a stopped platform in D1 and R2. */
export interface StoredState {
  /** Rows of a query on the catalogue. */
  rows<T>(query: string, ...bindings: unknown[]): Promise<T[]>;
  /** Keys in R2 below a prefix. */
  keys(prefix: string): Promise<string[]>;
}

/** Opens the state of a stopped platform, without its Worker. */
export async function withState<T>(home: string, look: (state: StoredState) => Promise<T>): Promise<T> {
  const { d1Databases, r2Buckets, compatibilityDate } =
    unstable_getMiniflareWorkerOptions("wrangler.toml").workerOptions;
  const host = new Miniflare(
    convertV4MiniflareOptions({
      name: "sluice",
      modules: true,
      script: "export default {}",
      compatibilityDate,
      cf: false,
      telemetry: { enabled: false },
      resourcePersistencePath: join(home, "state"),
      d1Databases,
      r2Buckets,
    } as unknown as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
  try {
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
  } finally {
    await host.dispose();
  }
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
