/** In tests the bindings enforce Cloudflare's limits, in the Worker and in Durable Objects. */
import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { LiveOrigin } from "../../../durable-objects/live-origin.ts";
import { viewMachine } from "../../../src/analytics/views/view-calls.ts";
import { assetMachine } from "../../../src/library/assets/asset-calls.ts";
import { asInvocation, MAX_ROW_BYTES, MAX_SUBREQUESTS } from "./cloudflare-limits.ts";

const text = (length: number) => "a".repeat(length);
const insert = (values: number[]) =>
  env.DB.prepare("INSERT INTO too_big (a, b) VALUES (?, ?)")
    .bind(...values.map(text))
    .run();
const inMachine = <T>(work: (storage: DurableObjectStorage) => T) =>
  runInDurableObject(env.ASSET_MACHINE.get(env.ASSET_MACHINE.newUniqueId()), (_, { storage }) => work(storage));

describe("a row", () => {
  test("of D1 holds 2 MB, in one value or in all values together", async () => {
    await env.DB.exec("CREATE TABLE too_big (a TEXT, b TEXT)");
    await expect((async () => insert([MAX_ROW_BYTES + 1, 0]))()).rejects.toThrow("SQLITE_TOOBIG");
    await expect((async () => insert([MAX_ROW_BYTES / 2, MAX_ROW_BYTES / 2 + 1]))()).rejects.toThrow("SQLITE_TOOBIG");
    await insert([MAX_ROW_BYTES / 2, MAX_ROW_BYTES / 2]);
  });

  test("of a Durable Object's SQLite holds 2 MB, in one value or in all values together", async () => {
    await inMachine(({ sql }) => {
      sql.exec("CREATE TABLE too_big (a TEXT, b TEXT)");
      const put = (a: number, b: number) => sql.exec("INSERT INTO too_big VALUES (?, ?)", text(a), text(b));
      expect(() => put(MAX_ROW_BYTES + 1, 0)).toThrow("SQLITE_TOOBIG");
      expect(() => put(MAX_ROW_BYTES / 2, MAX_ROW_BYTES / 2 + 1)).toThrow("SQLITE_TOOBIG");
      put(MAX_ROW_BYTES / 2, MAX_ROW_BYTES / 2);
    });
  });

  test("of a Durable Object's key-value storage holds 2 MB, including the key", async () => {
    await inMachine(({ kv }) => {
      expect(() => kv.put("key", { deep: [text(MAX_ROW_BYTES)] })).toThrow("SQLITE_TOOBIG");
      kv.put("key", { deep: [text(MAX_ROW_BYTES - 100)] });
    });
  });
});

test("a statement has at most 100 KB of text", async () => {
  await inMachine(({ sql }) => expect(() => sql.exec(`SELECT '${text(100_000)}'`)).toThrow("too long"));
});

test("a statement binds at most 100 parameters, in D1 and in a Durable Object", async () => {
  const statement = (count: number) => `SELECT ${Array.from({ length: count }, () => "?").join(",")}`;
  const values = (count: number) => Array.from({ length: count }, () => 1);
  const ask = (count: number) =>
    env.DB.prepare(statement(count))
      .bind(...values(count))
      .all();
  await ask(100);
  await expect(ask(101)).rejects.toThrow("too many SQL variables");
  await inMachine(({ sql }) => {
    sql.exec(statement(100), ...values(100));
    expect(() => sql.exec(statement(101), ...values(101))).toThrow("too many SQL variables");
  });
});

test("a queue takes messages of 128 KB, batches of 256 KB and 100 messages, and delays of 12 h", async () => {
  const body = (bytes: number) => ({ health: true, filler: text(bytes) });
  await env.PURGES.send(body(120_000));
  await expect(env.PURGES.send(body(130_000))).rejects.toThrow(/too large|Internal Error|15000/i);
  const batch = (count: number, bytes: number) => Array.from({ length: count }, () => ({ body: body(bytes) }));
  await expect((async () => env.PURGES.sendBatch(batch(101, 0)))()).rejects.toThrow("100 messages");
  await expect((async () => env.PURGES.sendBatch(batch(3, 90_000)))()).rejects.toThrow("256 KB");
  const late = { delaySeconds: 43_201 };
  await expect((async () => env.PURGES.send(body(0), late))()).rejects.toThrow("43,200 s");
  await expect((async () => env.PURGES.sendBatch([{ body: body(0), ...late }]))()).rejects.toThrow("43,200 s");
  await expect((async () => env.PURGES.sendBatch(batch(1, 0), late))()).rejects.toThrow("43,200 s");
});

test("a call between isolates carries at most 32 MiB", async () => {
  const origin = env.LIVE_ORIGIN.get(env.LIVE_ORIGIN.newUniqueId()) as unknown as LiveOrigin;
  await expect((async () => origin.putInit("v", 0, new Uint8Array(33 << 20), 0))()).rejects.toThrow(/32 ?MiB/);
});

describe("an invocation makes at most 1,000 subrequests", () => {
  const many = async (once: () => Promise<unknown>) => {
    for (let made = 0; made < MAX_SUBREQUESTS; made++) await once();
  };
  const kinds: [string, () => Promise<unknown>][] = [
    ["to R2", async () => env.MEDIA.head("nothing")],
    ["to D1", async () => env.DB.prepare("SELECT 1").run()],
    ["to a Durable Object", async () => assetMachine(env, "many").confirmPurge(1)],
    ["to a Durable Object by RPC", async () => viewMachine(env, "many", "many").forget()],
  ];
  test.each(kinds)("%s", async (_, once) => {
    await asInvocation(async () => {
      await many(once);
      await expect(once()).rejects.toThrow("Too many subrequests");
    });
    await once(); // another invocation
  });

  test("to R2, a queue and the network, counted together", async () => {
    await asInvocation(async () => {
      await many(() => env.MEDIA.head("nothing"));
      await expect((async () => env.PURGES.send({ health: true }))()).rejects.toThrow("Too many subrequests");
      await expect((async () => fetch("http://127.0.0.1:9/"))()).rejects.toThrow("Too many subrequests");
    });
  });
});
