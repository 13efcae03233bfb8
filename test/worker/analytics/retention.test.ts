/** Views, and the state that is needed to receive them, are deleted in time. */
import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { edgeFactsOf } from "../../../src/analytics/beacons/read-edge-facts.ts";
import { monthsIn } from "../../../src/analytics/questions/ask-stores.ts";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { StoreComponents } from "../../../src/analytics/store/components.ts";
import { sweepStore } from "../../../src/analytics/store/sweep-store.ts";
import { encodeEvent } from "../../../src/analytics/views/view-event.ts";
import { viewMachine } from "../../../src/analytics/views/view-calls.ts";
import { eventsOf } from "../events/webhooks/webhook-rows.ts";
import { newAsset } from "../playback/playable.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { dataOf, elapse, postBeacon, sendView, storeView, TestPlayer } from "./beacon-helpers.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3600_000;

let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});
afterEach(() => {
  vi.useRealTimers();
});

const tablesOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'",
      )
      .toArray()
      .map(({ name }) => name),
  );

describe("a store", () => {
  const storeOf = (atMs: number) => env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspace.id}:${monthOf(atMs)}`));
  const ofStore = async <T>(atMs: number, ask: (storage: DurableObjectStorage) => T) =>
    runInDurableObject(storeOf(atMs), (_, { storage }) => ask(storage));
  const titlesIn = (atMs: number) =>
    ofStore(atMs, ({ sql }) =>
      sql
        .exec("SELECT video_title FROM views")
        .toArray()
        .map((row) => row["video_title"]),
    );
  /** The store's daily alarm. */
  const sweep = async (atMs: number) => {
    await ofStore(atMs, async (storage) => {
      storage.sql.exec("UPDATE timers SET due = 0 WHERE name = 'sweep'");
      await storage.setAlarm(Date.now() + DAY_MS); // and the next line runs it
    });
    await runDurableObjectAlarm(storeOf(atMs));
  };
  /** Stores a view that ended at that time. */
  async function storeAt(endMs: number, title: string): Promise<void> {
    vi.useFakeTimers({ toFake: ["Date"], now: endMs + 5000 });
    await storeView(workspace.id, title);
    vi.useRealTimers();
  }

  test("deletes a view once it ended VIEW_RETENTION_DAYS ago, and not before", async () => {
    const now = Date.now();
    const [tooOldMs, youngerMs] = [now - 100 * DAY_MS - MINUTE_MS, now - 100 * DAY_MS + MINUTE_MS];
    await storeAt(tooOldMs, "too old");
    await storeAt(youngerMs, "younger");
    await sweep(tooOldMs);
    if (monthOf(tooOldMs) !== monthOf(youngerMs)) await sweep(youngerMs);
    expect(await titlesIn(youngerMs)).toEqual(["younger"]);
    expect(await ofStore(youngerMs, ({ sql }) => sql.exec("SELECT * FROM timelines").toArray())).toHaveLength(1);
    const planned = await ofStore(youngerMs, (storage) => storage.getAlarm());
    expect(Math.abs(planned! - (now + DAY_MS))).toBeLessThan(10 * MINUTE_MS);
  });

  test("takes the number of days from the setting", async () => {
    const atMs = Date.now() - 3 * DAY_MS;
    await storeAt(atMs, "three days old");
    const sweepWith = (days: string) =>
      runInDurableObject(storeOf(atMs), (_, state) =>
        sweepStore(new StoreComponents(state, { ...env, VIEW_RETENTION_DAYS: days })),
      );
    await sweepWith("4");
    expect(await titlesIn(atMs)).toEqual(["three days old"]);
    await sweepWith("2");
    expect(await titlesIn(atMs)).toEqual([]);
  });

  test("deletes thousands of old views in several runs", async () => {
    const atMs = Date.now() - 100 * DAY_MS - MINUTE_MS;
    await storeAt(atMs, "old");
    await ofStore(atMs, ({ sql }) => {
      const copy = `INSERT INTO views (view_id, view_end_ms, video_title)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
        SELECT 'copy-' || i, ${atMs}, 'old' FROM n`;
      sql.exec(copy);
    });
    const run = () =>
      runInDurableObject(storeOf(atMs), (_, state) => {
        const components = new StoreComponents(state, env);
        sweepStore(components);
        return components.timers.dueOf("sweep")! - Date.now() < MINUTE_MS ? "continues at once" : "continues tomorrow";
      });
    expect([await run(), await run(), await run()]).toEqual([
      "continues at once",
      "continues at once",
      "continues tomorrow",
    ]);
    expect(await titlesIn(atMs)).toEqual([]);
  });

  test("is deleted with its last view, and made again by the next", async () => {
    const atMs = Date.now() - 101 * DAY_MS;
    await storeAt(atMs, "old");
    expect(await tablesOf(storeOf(atMs))).toContain("views");
    await sweep(atMs);
    expect(await tablesOf(storeOf(atMs))).toEqual([]);
    await storeAt(atMs, "late");
    expect(await titlesIn(atMs)).toEqual(["late"]);
  });

  test("that has no views, because it was only asked, is deleted", async () => {
    const now = Date.now();
    expect(await dataOf(workspace, "viewlist")).toEqual([]);
    expect(await tablesOf(storeOf(now))).toContain("views");
    await sweep(now);
    expect(await tablesOf(storeOf(now))).toEqual([]);
  });

  test("remembers for eight days that it has forgotten a viewer", async () => {
    const now = Date.now();
    expect((await workspace.request("DELETE", "/v1/data/viewers/mine")).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: now + 8 * DAY_MS - MINUTE_MS });
    await sweep(now);
    expect(await tablesOf(storeOf(now))).toContain("forgotten_viewers");
    vi.setSystemTime(now + 8 * DAY_MS + MINUTE_MS);
    await sweep(now);
    expect(await tablesOf(storeOf(now))).toEqual([]);
  });
});

test.each([
  ["1", ["2026-02", "2026-03"]],
  ["100", ["2025-11", "2025-12", "2026-01", "2026-02", "2026-03"]],
])("questions go back %s days, to the months %j", (days, months) => {
  const nowMs = Date.UTC(2026, 2, 1, 12);
  expect(monthsIn({ ...env, VIEW_RETENTION_DAYS: days }, { fromMs: 0, toMs: nowMs + DAY_MS }, nowMs)).toEqual(months);
});

describe("the machine of a view", () => {
  const machineOf = (viewId: string) => env.VIEW_MACHINE.get(env.VIEW_MACHINE.idFromName(`${workspace.id}:${viewId}`));

  test("drops repeated events for eight days after its end, and then deletes its storage", async () => {
    const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
    const player = new TestPlayer(workspace.id);
    const source = { vdsour: `https://stream.example.com/${playbackId}.m3u8` };
    const events = player.completeView(Date.now() - 20_000, source);
    await sendView(workspace.id, events);
    expect(await eventsOf(player.viewId)).toHaveLength(1);

    await elapse(workspace.id, player.viewId, 8 * DAY_MS - MINUTE_MS);
    await sendView(workspace.id, events); // extends the time
    expect(await runInDurableObject(machineOf(player.viewId), ({ components }) => components.events.count)).toBe(0);
    await elapse(workspace.id, player.viewId, 8 * DAY_MS - MINUTE_MS);
    expect(await tablesOf(machineOf(player.viewId))).toContain("event_batches");

    await elapse(workspace.id, player.viewId, MINUTE_MS);
    expect(await tablesOf(machineOf(player.viewId))).toEqual([]);
    const left = await runInDurableObject(machineOf(player.viewId), (_, { storage }) => [...storage.kv.list()]);
    expect(left).toEqual([]);
    expect(await eventsOf(player.viewId)).toHaveLength(1);
    expect(await dataOf(workspace, `viewlist/${player.viewId}`)).toMatchObject({ isFinal: true });
  });

  test("is not freed while its view runs, however long", async () => {
    const player = new TestPlayer(workspace.id);
    const [begin, ...later] = player.completeView(Date.now() - 20_000);
    await sendView(workspace.id, [begin!]);
    const free = (components: { timers: { dueOf: (timer: "free") => number | null } }) =>
      components.timers.dueOf("free");
    expect(await runInDurableObject(machineOf(player.viewId), ({ components }) => free(components))).toBeNull();
    await sendView(workspace.id, later);
    expect(await runInDurableObject(machineOf(player.viewId), ({ components }) => free(components))).toBeGreaterThan(
      Date.now(),
    );
  });

  test("that has forgotten its view is freed eight days after the last report of its player", async () => {
    const player = new TestPlayer(workspace.id);
    const [begin, pulse] = player.completeView(Date.now() - 20_000, { viid: "mine" });
    await sendView(workspace.id, [begin!]);
    expect((await workspace.request("DELETE", "/v1/data/viewers/mine")).status).toBe(200);
    await elapse(workspace.id, player.viewId, 7 * DAY_MS);
    await postBeacon(workspace.id, { events: [pulse] });
    await elapse(workspace.id, player.viewId, 7 * DAY_MS);
    expect(await tablesOf(machineOf(player.viewId))).toContain("event_batches");
    await elapse(workspace.id, player.viewId, DAY_MS);
    expect(await tablesOf(machineOf(player.viewId))).toEqual([]);
  });

  test("without a beginning of a view is freed too", async () => {
    const viewId = crypto.randomUUID();
    const machine = machineOf(viewId);
    const edge = edgeFactsOf(new Headers(), undefined);
    const event = encodeEvent({ sequence: 1, name: "pulse", atMs: Date.now(), fields: {} });
    await viewMachine(env, workspace.id, viewId).take({
      workspaceId: workspace.id,
      viewId,
      edge,
      events: [event],
      isPassive: true,
    });
    await elapse(workspace.id, viewId, 8 * DAY_MS);
    expect(await tablesOf(machine)).toEqual([]);
  });
});
