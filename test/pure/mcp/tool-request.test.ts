import { describe, expect, test } from "vitest";
import { type ApiDocument, describeTools, type Tool } from "../../../src/mcp/describe-tools.ts";
import { toolRequest } from "../../../src/mcp/tool-request.ts";

const text = { type: "string" };
const DOCUMENT: ApiDocument = {
  paths: {
    "/v1/films/{filmId}/parts": {
      get: {
        summary: "Parts",
        parameters: [
          { name: "filmId", in: "path", required: true, schema: text },
          { name: "span[]", in: "query", schema: { type: "array", items: text } },
          { name: "limit", in: "query", schema: { type: "integer" } },
        ],
      },
      post: {
        summary: "Add",
        parameters: [
          { name: "filmId", in: "path", required: true, schema: text },
          { name: "idempotency-key", in: "header", schema: text },
        ],
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: { title: text, part: { $ref: "#/components/schemas/Part" } },
                required: ["title"],
              },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Part: {
        type: "object",
        properties: { title: { ...text, example: "One" }, example: text },
        discriminator: { propertyName: "title" },
      },
      Loop: { type: "object", properties: { again: { $ref: "#/components/schemas/Loop" } } },
    },
  },
};
const ROUTE = "/v1/films/{filmId}/parts";
const tools = describeTools(
  [
    { name: "list", route: `GET ${ROUTE}` },
    { name: "add", route: `POST ${ROUTE}` },
    { name: "add_untitled", route: `POST ${ROUTE}`, without: ["part"], fixed: { title: "" } },
  ],
  DOCUMENT,
);
const made = (name: string, given: Record<string, unknown>) =>
  toolRequest(tools.get(name) as Tool, given, "https://a.test/mcp?x=1", new Headers({ authorization: "Basic abc" }));

describe("a request of a tool", () => {
  test("has arguments where the operation has them, and the caller's credential", async () => {
    const given = { filmId: "f-1", "idempotency-key": "k", title: "Harbour", part: { title: null } };
    const request = made("add", given);
    expect([request.method, request.url]).toEqual(["POST", "https://a.test/v1/films/f-1/parts"]);
    expect(Object.fromEntries(request.headers)).toMatchObject({
      authorization: "Basic abc",
      "idempotency-key": "k",
      "content-type": "application/json",
    });
    expect(await request.json()).toEqual({ title: "Harbour", part: { title: null } });
  });

  test("has the fields that the tool always sends", async () => {
    expect(await made("add_untitled", { filmId: "f" }).json()).toEqual({ title: "" });
    expect(() => made("add_untitled", { filmId: "f", title: "Harbour" })).toThrow("there is no argument `title`");
    expect(tools.get("add_untitled")?.listing.inputSchema).not.toHaveProperty("properties.title");
  });

  test("repeats lists in the query, under the name of the API, and leaves out null", () => {
    const { url, body } = made("list", { filmId: "f", span: ["a&b", "c"], limit: null });
    expect([url, body]).toEqual(["https://a.test/v1/films/f/parts?span%5B%5D=a%26b&span%5B%5D=c", null]);
    expect(made("list", { filmId: "f", span: "24:hours", limit: 5 }).url).toContain("?span%5B%5D=24%3Ahours&limit=5");
  });

  test.each(["..", ".", "", "a/b", "%2e%2e", "a?b", "a#b", "a\\b", "é", "x".repeat(65)])(
    "does not take %j for an id, which could lead to another route",
    (filmId) => {
      expect(() => made("list", { filmId })).toThrow("`filmId` is no id or name of the API");
    },
  );

  test.each([
    ["list", {}, "`filmId` is required"],
    ["list", { filmId: null }, "`filmId` is required"],
    ["list", { filmId: ["f"] }, "`filmId` must be a text"],
    ["list", { filmId: "f", limit: { a: 1 } }, "`limit` must be a text"],
    ["list", { filmId: "f", "span[]": "a" }, "there is no argument `span[]`: the tool takes filmId, span, limit"],
    ["add", { filmId: "f", "idempotency-key": "a\nb" }, "printable ASCII"],
    ["add", { filmId: "f", "idempotency-key": "a\r\nauthorization: b" }, "printable ASCII"],
  ])("%s %j is refused", (name, given, message) => {
    expect(() => made(name, given)).toThrow(message);
  });
});

describe("the schema of a tool", () => {
  test("has components in their places, and no keywords that only OpenAPI has", () => {
    expect(tools.get("add")?.listing.inputSchema).toEqual({
      type: "object",
      properties: {
        filmId: text,
        "idempotency-key": text,
        title: text,
        part: { type: "object", properties: { title: text, example: text } },
      },
      required: ["filmId", "title"],
      additionalProperties: false,
    });
  });

  test("of a component that contains itself is refused", () => {
    const parameters = [{ name: "a", in: "query", schema: { $ref: "#/components/schemas/Loop" } }];
    const document = { ...DOCUMENT, paths: { "/v1/loops": { get: { parameters } } } };
    expect(() => describeTools([{ name: "a", route: "GET /v1/loops" }], document)).toThrow("Loop cannot be inserted");
  });
});
