import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EVENTS_PAGE, SENT_TODAY, withKindTables } from "../../../scripts/event-docs.ts";
import { EVENT_KINDS, isEventType } from "../../../src/events/catalogue.ts";
import { EventEnvelope, exampleEvent } from "../../../src/events/catalogue/envelope.ts";
import { resolveTypes } from "../../../src/events/type-filter.ts";

const page = readFileSync(EVENTS_PAGE, "utf8");
const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!;

/** Of what could send an event: everything that runs in the Worker, without the catalogue and what reads it. */
const isProducer = (path: string) =>
  !path.startsWith(join("src", "events")) || path.startsWith(join("src", "events", "webhooks"));
const producers = ["src", "durable-objects"]
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
  .filter((path) => path.endsWith(".ts") && isProducer(path))
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

describe("docs/guides/events.md", () => {
  test("has the tables that the catalogue gives", () => {
    expect(withKindTables(page), `stale: run "node scripts/event-docs.ts"`).toBe(page);
  });

  test.each(EVENT_KINDS.map(({ type }) => type))("marks %s as sent exactly when something sends it", (type) => {
    expect(producers.includes(`"${type}"`)).toBe(SENT_TODAY.includes(type));
  });

  test("explains every field of the envelope and none that there is not", () => {
    const explained = [...section("The envelope").matchAll(/^\| ((?:`[\w.]+`(?:, )?)+) /gm)].flatMap(([, cell]) =>
      cell!.split(", ").map((name) => name.slice(1, -1)),
    );
    const { object, workspace, ...others } = EventEnvelope.shape;
    const nested = [
      ...Object.keys(object.shape).map((name) => `object.${name}`),
      ...Object.keys(workspace.shape).map((name) => `workspace.${name}`),
    ];
    expect(new Set(explained)).toEqual(new Set([...nested, ...Object.keys(others)]));
  });

  test("shows an envelope as the API's own example has it, shortened in its data only", () => {
    const [, shown] = /```json\n(.*?)\n```/s.exec(section("The envelope"))!;
    const { data, ...envelope } = JSON.parse(shown!) as Record<string, unknown>;
    const { data: whole, createdAt, ...example } = exampleEvent("asset.created");
    expect(Object.keys(envelope)).toEqual([
      "type",
      "object",
      "id",
      "event_id",
      "workspace",
      "status",
      "createdAt",
      "attempts",
    ]);
    expect({ ...envelope, createdAt }).toEqual({ ...example, createdAt });
    const { "…": _, ...fields } = data as Record<string, unknown>;
    expect(whole).toMatchObject(fields);
  });

  test("names in its text no kind that there is not", () => {
    const named = [...`${section("Order")}${section("Two names")}`.matchAll(/`([a-z_A-Z]+(?:\.[a-z_A-Z]+)+)`/g)];
    expect(named.length).toBeGreaterThan(15);
    expect(named.map(([, name]) => name!).filter((name) => resolveTypes(name).length === 0)).toEqual([]);
  });

  test("shows filters that are filters", () => {
    const filters = [...section("Filters").matchAll(/^\| `([^`]+)`/gm)].map(([, filter]) => filter!);
    expect(filters.length).toBeGreaterThan(3);
    expect(filters.filter((filter) => resolveTypes(filter).length === 0)).toEqual([]);
  });

  test("a page that lost its markers is not silently left without tables", () => {
    expect(() => withKindTables("# Events\n")).toThrow("docs/guides/events.md has no");
    expect(SENT_TODAY.every(isEventType)).toBe(true);
  });
});
