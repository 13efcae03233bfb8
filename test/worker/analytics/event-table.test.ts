import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { ViewMachine } from "../../../durable-objects/view-machine.ts";
import { EventTable } from "../../../src/analytics/view-machine/event-table.ts";
import { ViewComponents } from "../../../src/analytics/view-machine/components.ts";
import { encodeEvent, type ViewEvent } from "../../../src/analytics/views/view-event.ts";

/** The storage of a machine that has no view yet. */
const withStorage = <T>(work: (state: DurableObjectState) => T) =>
  runInDurableObject(env.VIEW_MACHINE.get(env.VIEW_MACHINE.newUniqueId()), (_: ViewMachine, state) => work(state));

const event = (sequence: number, name = "pulse", fields: ViewEvent["fields"] = {}): ViewEvent => ({
  sequence,
  name,
  atMs: 1_000_000 + sequence,
  fields,
});

const encoded = (...events: ViewEvent[]) => events.map(encodeEvent);

/** What another instance of the table knows after a restart. */
function reopened(sql: SqlStorage): object {
  const { count, last, lastName, lastReceivedAtMs } = new EventTable(sql);
  return { count, last, lastName, lastReceivedAtMs };
}

test("events in any order are stored once, and recognized after a restart", () =>
  withStorage(({ storage: { sql } }) => {
    const table = new EventTable(sql);
    expect(table.add(encoded(event(4, "ended"), event(2)), 50)).toHaveLength(2);
    expect(table.add(encoded(event(2), event(3), event(3, "seeking")), 70)).toEqual(encoded(event(3)));
    expect(table.add(encoded(event(1, "viewBegin")), 60)).toHaveLength(1);
    expect(table.all()).toEqual([event(1, "viewBegin"), event(2), event(3), event(4, "ended")]);
    const { count, last, lastName, lastReceivedAtMs } = table;
    const known = { count, last, lastName, lastReceivedAtMs };
    expect(known).toEqual({ count: 4, last: 4, lastName: "ended", lastReceivedAtMs: 70 });
    expect(reopened(sql)).toEqual(known);
  }));

test("at most 20,000 events of a view are stored, in batches of any size, and no row exceeds 2 MB", () =>
  withStorage(({ storage: { sql } }) => {
    const table = new EventTable(sql);
    const long = { video_title: "€".repeat(2048), page_url: "€".repeat(2048) };
    for (let first = 1; first < 21_000; first += 1000) {
      const fields = first === 1 ? long : {};
      table.add(
        Array.from({ length: 1000 }, (_, index) => encodeEvent(event(first + index, "pulse", fields))),
        1,
      );
    }
    expect(reopened(sql)).toMatchObject({ count: 20_000, last: 20_000 });
    const largest = "SELECT max(length(CAST(events AS BLOB))) AS bytes FROM event_batches";
    expect(sql.exec<{ bytes: number }>(largest).one().bytes).toBeLessThan(2_000_000);
  }));

test("events of a failed transaction are stored when they are sent again", () =>
  withStorage((state) => {
    const parts = new ViewComponents(state, env, async () => {});
    const failing = () =>
      parts.commit(() => {
        parts.events.add(encoded(event(1)), 1);
        throw new Error("the disk is full");
      });
    expect(failing).toThrow("the disk is full");
    expect(parts.events.count).toBe(0);
    expect(parts.commit(() => parts.events.add(encoded(event(1)), 1))).toHaveLength(1);
  }));

test("events and state of an earlier release are kept", () =>
  withStorage((state) => {
    const { sql, kv } = state.storage;
    sql.exec("CREATE TABLE events (sequence INTEGER PRIMARY KEY, name TEXT, at_ms REAL, fields TEXT)");
    for (const { sequence, name, atMs, fields } of [event(1, "viewBegin", { video_title: "Harbour" }), event(2)])
      sql.exec("INSERT INTO events VALUES (?, ?, ?, ?)", sequence, name, atMs, JSON.stringify(fields));
    kv.put("revision", 3);
    kv.put("projectedAtMs", 77);
    kv.put("month", "2026-11");
    const { events, projection } = new ViewComponents(state, env, async () => {});
    expect(events.add(encoded(event(2), event(3)), 9)).toEqual(encoded(event(3)));
    expect(events.all()).toEqual([event(1, "viewBegin", { video_title: "Harbour" }), event(2), event(3)]);
    expect(reopened(sql)).toEqual({ count: 3, last: 3, lastName: "pulse", lastReceivedAtMs: 1_000_002 });
    expect(projection).toEqual({ month: "2026-11", revision: 3, atMs: 77 });
  }));

test("rows of a release that did not count completed requests are kept", () =>
  withStorage(({ storage: { sql } }) => {
    sql.exec("DROP TABLE IF EXISTS event_batches");
    sql.exec(`CREATE TABLE event_batches (
      id INTEGER PRIMARY KEY, received_at_ms REAL NOT NULL, sequences TEXT NOT NULL, last_name TEXT NOT NULL, events TEXT NOT NULL)`);
    sql.exec(
      "INSERT INTO event_batches (received_at_ms, sequences, last_name, events) VALUES (1, '[1]', 'viewBegin', ?)",
      JSON.stringify([event(1, "viewBegin")]),
    );
    expect(new EventTable(sql).add(encoded(event(1, "viewBegin"), event(2, "requestCompleted")), 2)).toHaveLength(1);
    expect(reopened(sql)).toMatchObject({ count: 2, last: 2, lastName: "requestCompleted" });
  }));

test("completed requests take at most half of the events of a view, also after a restart", () =>
  withStorage(({ storage: { sql } }) => {
    const many = (first: number, count: number, name: string) =>
      Array.from({ length: count }, (_, index) => encodeEvent(event(first + index, name)));
    const table = new EventTable(sql);
    expect(table.add(many(1, 9_999, "requestCompleted"), 1)).toHaveLength(9_999);
    expect(new EventTable(sql).add(many(10_000, 2, "requestCompleted"), 2)).toHaveLength(1);
    expect(new EventTable(sql).add(many(20_000, 1, "requestCompleted"), 3)).toEqual([]);
    expect(new EventTable(sql).add(many(30_000, 10_001, "pulse"), 4)).toHaveLength(10_000);
  }));
