import { createAsset } from "../../src/library/assets/create-asset.ts";
import { type CreateAsset, requireInputs } from "../../src/library/assets/schemas.ts";
import type { Env } from "../../src/platform/env.ts";

interface Statement {
  sql: string;
  params: unknown[];
}

interface Recorded {
  statements: Statement[];
  /** The product's answer. */
  answer: string;
  assetId: string;
}

/** An empty catalogue that records its writes. */
class Recorder {
  statements: Statement[] = [];

  prepare(sql: string) {
    const reads = { raw: async () => [], all: async () => ({ results: [] }), first: async () => null };
    return { bind: (...params: unknown[]) => ({ sql, params, ...reads }) };
  }

  batch(statements: Statement[]) {
    this.statements = statements;
    return Promise.resolve(statements.map(() => ({ results: [], success: true, meta: {} })));
  }
}

/** Records the writes of one creation by the product, so that the yardstick writes the same rows. */
async function record(body: CreateAsset): Promise<Recorded> {
  const recorder = new Recorder();
  const idle = { idFromName: (name: string) => name, get: () => ({ fetch: async () => Response.json(null) }) };
  const env = { DB: recorder, ASSET_MACHINE: idle, ALLOW_PRIVATE_NETWORK: "true" } as unknown as Env;
  const { id, answer } = await createAsset(body, requireInputs(body, true), {
    env,
    workspaceId: crypto.randomUUID(),
    publicUrl: "http://127.0.0.1",
    now: new Date(),
    after: () => undefined,
    keep: async () => [],
  });
  return { statements: recorder.statements, answer: JSON.stringify(answer), assetId: id };
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
let recorded: Promise<Recorded> | undefined;

type NewAsset = Pick<CreateAsset, "inputs" | "accessPolicy">;

interface Created {
  assetId: string;
  answer: string;
}

/** Writes only the rows of one asset, under new ids. The answer has the size of the product's. */
export async function bareCreation(db: D1Database, body: NewAsset): Promise<Created> {
  const { statements, answer, assetId } = await (recorded ??= record({
    maxResolution: "1080p",
    mediaQuality: "standard",
    ...body,
  }));
  const ids = new Map<unknown, string>();
  const renewed = (value: unknown) => {
    if (typeof value !== "string" || !UUID.test(value)) return value;
    const known = ids.get(value);
    if (known !== undefined) return known;
    const id = crypto.randomUUID();
    ids.set(value, id);
    return id;
  };
  await db.batch(statements.map(({ sql, params }) => db.prepare(sql).bind(...params.map(renewed))));
  return { assetId: ids.get(assetId) ?? "", answer };
}

/** The row that a machine changes in the catalogue when it starts. */
export async function bareTakeOver(db: D1Database, assetId: string): Promise<void> {
  const now = Date.now();
  await db.prepare("UPDATE assets SET started_at = ?, updated_at = ? WHERE id = ?").bind(now, now, assetId).run();
}
