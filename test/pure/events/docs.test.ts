import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { EVENTS_PAGE, withKindTables } from "../../../scripts/event-docs.ts";
import { EventEnvelope, exampleEvent } from "../../../src/events/catalogue/envelope.ts";
import { resolveTypes } from "../../../src/events/catalogue/type-filter.ts";
import { ENVELOPE_FIELDS } from "../../support/envelope.ts";

const page = readFileSync(EVENTS_PAGE, "utf8");
const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!;

describe("docs/guides/events.md", () => {
  test("has the tables of kinds that the catalogue gives, with what is sent today", () => {
    expect(withKindTables(page), `stale: run "npm run event:docs"`).toBe(page);
  });

  test("explains every field of the envelope, and no field that does not exist", () => {
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

  test("shows the example envelope of the API, with its data shortened", () => {
    const [, shown] = /```json\n(.*?)\n```/s.exec(section("The envelope"))!;
    const { data, ...envelope } = JSON.parse(shown!) as Record<string, unknown>;
    const { data: whole, createdAt, ...example } = exampleEvent("asset.created");
    expect(Object.keys(envelope)).toEqual(ENVELOPE_FIELDS.filter((name) => name !== "data"));
    expect({ ...envelope, createdAt }).toEqual({ ...example, createdAt });
    const { "…": _, ...fields } = data as Record<string, unknown>;
    expect(whole).toMatchObject(fields);
  });

  test("mentions existing kinds only", () => {
    const named = [...`${section("Order")}${section("Two names")}`.matchAll(/`([a-z_A-Z]+(?:\.[a-z_A-Z]+)+)`/g)];
    expect(named.length).toBeGreaterThan(15);
    expect(named.map(([, name]) => name!).filter((name) => resolveTypes(name).length === 0)).toEqual([]);
  });

  test("shows filters that match at least one kind", () => {
    const filters = [...section("Filters").matchAll(/^\| `([^`]+)`/gm)].map(([, filter]) => filter!);
    expect(filters.length).toBeGreaterThan(3);
    expect(filters.filter((filter) => resolveTypes(filter).length === 0)).toEqual([]);
  });

  test("a page without its markers is an error, not a page without tables", () => {
    expect(() => withKindTables("# Events\n")).toThrow("docs/guides/events.md has no");
  });
});
