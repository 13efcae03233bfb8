/** What has been heard in pieces of speech, in the SQLite of an asset's machine. */
import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { type HeardPart, HeardStore, type OpenPart } from "../../../../src/library/asset-machine/core/heard-store.ts";

const within = (work: (store: HeardStore, sql: SqlStorage) => void) =>
  runInDurableObject(env.ASSET_MACHINE.get(env.ASSET_MACHINE.newUniqueId()), (_, { storage }) =>
    work(new HeardStore(storage.sql), storage.sql),
  );

const said = (text: string): HeardPart => ({
  words: [[0, 100, text, true]],
  languageCode: "en",
  engine: "workers-ai",
  model: "m",
  version: null,
  tookMs: 1,
  paidMs: 1000,
  costMicroUsd: 5,
});
const textsOf = (store: HeardStore) =>
  [...store.heard("t")].flatMap(({ parts }) => parts.map(({ words }) => words.map(([, , text]) => text).join(" ")));

test("a call that ends late changes neither what has been heard nor what was halved meanwhile", async () => {
  await within((store) => {
    store.open("t", 2, "source");
    const [first, second] = store.pending("t") as [OpenPart, OpenPart];
    store.keep("t", first, said("whole"));
    store.halve("t", first, 500);
    store.note("t", { ...first, tries: 7 });
    store.keep("t", first, said("again"));
    store.halve("t", second, 500);
    store.keep("t", second, said("late"));
    expect(textsOf(store)).toEqual(["whole"]);
    const halves = store.pending("t").map(({ piece, fromMs, toMs }) => [piece, fromMs, toMs]);
    expect(halves).toEqual([
      [1, 0, 500],
      [1, 500, null],
    ]);
  });
});

test("pieces of an earlier release are taken over, heard or not", async () => {
  await within((_store, sql) => {
    sql.exec(`CREATE TABLE heard_pieces (
      track_id TEXT NOT NULL, piece INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0, unusable INTEGER NOT NULL DEFAULT 0,
      due_ms INTEGER NOT NULL DEFAULT 0, heard TEXT, PRIMARY KEY (track_id, piece)) WITHOUT ROWID`);
    const { words, languageCode, engine, model, tookMs, costMicroUsd } = said("before");
    sql.exec(
      "INSERT INTO heard_pieces VALUES ('t', 0, 1, 0, 0, ?)",
      JSON.stringify({ words, languageCode, engine, model, tookMs, costMicroUsd }),
    );
    sql.exec("INSERT INTO heard_pieces VALUES ('t', 1, 3, 1, 9, NULL)");
    const store = new HeardStore(sql);
    expect([...store.heard("t")].flatMap(({ parts }) => parts)).toEqual([{ ...said("before"), paidMs: 0 }]);
    expect(store.pending("t")).toMatchObject([{ piece: 1, fromMs: 0, toMs: null, tries: 3, unusable: 1, dueMs: 9 }]);
    expect(new HeardStore(sql).pending("t")).toHaveLength(1);
  });
});

const failed = (store: HeardStore, trackId: string, source: string, nowMs: number) => {
  store.open(trackId, 3, source);
  store.keep(trackId, store.pending(trackId)[0]!, said(trackId));
  store.setAside(trackId, nowMs);
  store.remove(trackId);
};

test("what a failed track has heard is that of the next one of the same source, once", async () => {
  await within((store) => {
    failed(store, "first", "a", 1);
    store.open("t", 3, "b");
    expect([textsOf(store), store.pending("t").length]).toEqual([[], 3]);
    store.open("t", 3, "a");
    expect([textsOf(store), store.pending("t").map(({ piece }) => piece)]).toEqual([["first"], [1, 2]]);
    store.open("next", 3, "a");
    expect(store.pending("next")).toHaveLength(3);
  });
});

test("nothing is set aside of a track that has heard nothing or everything, nor of a fifth source", async () => {
  await within((store, sql) => {
    store.open("none", 1, "a");
    store.setAside("none", 1);
    store.remove("none");
    store.open("all", 1, "a");
    store.keep("all", store.pending("all")[0]!, said("all"));
    store.setAside("all", 1);
    store.remove("all");
    const left = () =>
      sql.exec<{ track_id: string }>("SELECT DISTINCT track_id FROM heard_parts ORDER BY track_id").toArray();
    expect(left()).toEqual([]);
    for (const [at, source] of ["a", "b", "c", "d", "e", "e"].entries()) failed(store, `${source}${at}`, source, at);
    expect(left().map(({ track_id }) => track_id)).toEqual(["b1", "c2", "d3", "e5"]);
    expect(sql.exec("SELECT * FROM heard_sources").toArray()).toHaveLength(4);
  });
});
