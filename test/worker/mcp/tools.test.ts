/** The table of tools against the OpenAPI document and the guide. */
import { describe, expect, test } from "vitest";
import guide from "../../../docs/guides/agents.md?raw";
import { apiDocument } from "../../../src/api-document.ts";
import { createApp } from "../../../src/app.ts";
import { type ApiDocument, describeTools } from "../../../src/mcp/describe-tools.ts";
import { TOOLS, type ToolEntry } from "../../../src/mcp/tool-table.ts";
import { toolResult } from "../../../src/mcp/tool-result.ts";

const document = apiDocument(createApp(), "http://sluice.test") as object as ApiDocument;
const tools = describeTools(TOOLS, document);

/** What no tool may touch: secrets, credentials and webhooks. */
const FORBIDDEN =
  /^(?!GET|POST|PATCH)|\/(?:iam|webhooks|request-logs|drm|secret|rotate-key|simulcast|input-info|uploads)\b/;

test("every tool is an operation of the API, and none of those that delete, or that are about secrets", () => {
  expect(tools.size).toBe(TOOLS.length); // each has a name of its own
  expect(TOOLS.map(({ route }) => route).filter((route) => FORBIDDEN.test(route))).toEqual([]);
  expect(new Set(TOOLS.map(({ route }) => route)).size).toBe(TOOLS.length);
});

test("an entry that the document contradicts is refused", () => {
  const refused = (change: Partial<ToolEntry>) => () =>
    describeTools([{ name: "a", route: "GET /v1/on-demand", ...change }], document);
  expect(refused({ route: "GET /v1/on-demands" })).toThrow("which is no operation");
  expect(refused({ route: "PATCH /v1/on-demand" })).toThrow("which is no operation");
  expect(refused({ without: ["limits"] })).toThrow("limits, which GET /v1/on-demand lacks");
});

describe.each([...tools.values()])("$listing.name", ({ listing, places, path }) => {
  test("names and arguments have forms that all providers of models accept", () => {
    expect(listing.name).toMatch(/^[a-z_]{1,64}$/);
    for (const argument of places.keys()) expect(argument).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
  });

  test("its schema stands alone, and has every parameter of the path", () => {
    const text = JSON.stringify(listing.inputSchema);
    expect(text).not.toMatch(/"\$ref"|"discriminator"/);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(listing.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect((listing.inputSchema as { required?: string[] }).required ?? []).toEqual(expect.arrayContaining(inPath));
  });
});

test.each([
  ["list_media", "fewer rows"],
  ["get_captions", "search_media"],
])("an answer of %s that is too long names what the agent can do: %s", async (name, way) => {
  const { isError, content } = await toolResult(tools.get(name)!, new Response("x".repeat(256 * 1024 + 1)));
  expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining(way)]);
});

test("the list of tools fits into 48 KB, of which a model reads each word", () => {
  const listed = [...tools.values()].map(({ listing }) => listing);
  expect(JSON.stringify(listed).length).toBeLessThan(48_000);
});

test("the guide lists the tools with their requests, in the order of the table", () => {
  const rows = [...guide.matchAll(/^\| `([a-z_]+)` *\| `([^`]+)` *\|/gm)].map(([, name, route]) => [name, route]);
  expect(rows).toEqual(TOOLS.map(({ name, route }) => [name, route]));
});
