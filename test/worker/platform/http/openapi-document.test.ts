/** The rules of Redocly's and Spectral's standard sets that this document could break, and its examples. */
import type { z } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { apiDocument } from "../../../../src/api-document.ts";
import { createApp } from "../../../../src/app.ts";
import { EVENT_KINDS } from "../../../../src/events/index.ts";

interface MediaType {
  /** Of a body that is read as a stream: in words of JSON Schema, so that no validator reads it. */
  schema: z.ZodType | { type: string };
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Body {
  description?: string;
  content?: Record<string, MediaType>;
}
interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: object[];
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: Body;
  responses: Record<string, Body>;
}
interface Document {
  info: Record<string, unknown>;
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, object> };
}

const app = createApp();
const document = JSON.parse(JSON.stringify(apiDocument(app, "https://video.sluice.test"))) as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);
const events = Object.values(document.webhooks).map(({ post }) => post);
const everyOperation = [...operations.map(({ operation }) => operation), ...events];
const examplesOf = ({ example, examples }: MediaType) =>
  example === undefined ? Object.values(examples ?? {}).map(({ value }) => value) : [example];

/** What an operation must have and has not, as `get-workspace: no description`. */
function lacksOf({ operationId, summary, description, tags = [], security, responses }: Operation): string[] {
  const has = {
    summary: Boolean(summary),
    description: Boolean(description),
    "single tag (src/api-document.ts)": tags.length === 1,
    security: security !== undefined,
    "response of a refusal (4xx)": Object.keys(responses).some((status) => status.startsWith("4")),
  };
  return Object.entries(has).flatMap(([what, isThere]) => (isThere ? [] : [`${operationId}: no ${what}`]));
}

interface ObjectSchema {
  properties: Record<string, { default?: unknown }>;
  required?: string[];
}

/** The object schemas in a part of the document, through its references. */
function objectsIn(part: unknown, seen = new Set<unknown>()): ObjectSchema[] {
  if (typeof part !== "object" || part === null || seen.has(part)) return [];
  seen.add(part);
  const { $ref: reference } = part as { $ref?: unknown };
  if (typeof reference === "string") return objectsIn(document.components.schemas[reference.split("/").at(-1)!], seen);
  const own = "properties" in part ? [part as ObjectSchema] : [];
  return [...own, ...Object.values(part).flatMap((inner) => objectsIn(inner, seen))];
}

describe("the OpenAPI document", () => {
  test("says who offers it, under which licence, and what its groups hold", () => {
    expect(document.info).toMatchObject({
      contact: { url: "https://video.sluice.test" },
      license: { identifier: "Apache-2.0" },
    });
    expect(document.servers).toEqual([{ url: "https://video.sluice.test" }]);
    expect(document.tags.filter(({ description }) => !description)).toEqual([]);
    const used = new Set(everyOperation.flatMap(({ tags = [] }) => tags));
    expect(new Set(document.tags.map(({ name }) => name))).toEqual(used);
  });

  test("describes every operation, once, with its security and its refusals", () => {
    expect(everyOperation.flatMap(lacksOf)).toEqual([]);
    expect(new Set(everyOperation.map(({ operationId }) => operationId)).size).toBe(everyOperation.length);
    for (const { path, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
      const declared = (operation.parameters ?? []).filter((one) => one.in === "path" && one.required === true);
      const { operationId } = operation;
      expect({ operationId, parameters: declared.map(({ name }) => name).toSorted() }).toEqual({
        operationId,
        parameters: named.toSorted(),
      });
    }
  });

  test("refers to every component that it has, and to no other", () => {
    const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(document.components.schemas).toSorted());
  });

  test("has an example of every body, in requests and in responses of every status", () => {
    const bodies = everyOperation.flatMap(({ operationId, requestBody, responses }) => [
      ...(requestBody ? [[`${operationId} request`, requestBody] as const] : []),
      ...Object.entries(responses).map(([status, response]) => [`${operationId} ${status}`, response] as const),
    ]);
    expect(bodies.length).toBeGreaterThan(200);
    const isApi = (name: string) => !name.startsWith("event-");
    const unshown = bodies.filter(([name, { content }]) => isApi(name) && content === undefined);
    expect(unshown.map(([name]) => `${name}: no content`)).toEqual([]);
    const without = bodies.filter(([, { content = {} }]) =>
      Object.values(content).some((media) => examplesOf(media).length === 0),
    );
    expect(without.map(([name]) => `${name}: no example (src/api-examples.ts)`)).toEqual([]);
  });

  test("requires no field of a request that has a default, and says which option of a generator makes them optional", () => {
    const bodies = operations.map(({ operation }) => operation.requestBody);
    const found = bodies
      .flatMap((body) => objectsIn(body))
      .flatMap(({ properties, required = [] }) =>
        Object.entries(properties)
          .filter(([, { default: value }]) => value !== undefined)
          .map(([name]) => ({ name, isRequired: required.includes(name) })),
      );
    expect(found.length).toBeGreaterThan(10);
    expect(found.filter(({ isRequired }) => isRequired)).toEqual([]);
    expect(document.info["description"]).toContain("--default-non-nullable false");
  });

  test("has a webhook for every kind of event that is sent, and for no other", () => {
    const sent = EVENT_KINDS.filter(({ isSent }) => isSent).map(({ type }) => type);
    expect(Object.keys(document.webhooks)).toEqual(sent);
  });
});

interface RouteBodies {
  operationId: string;
  request?: { body?: Body };
  responses: Record<string, Body>;
}
const routes = app.openAPIRegistry.definitions.flatMap((one): RouteBodies[] =>
  one.type === "route" ? [one.route as RouteBodies] : one.type === "webhook" ? [one.webhook as RouteBodies] : [],
);

test("every example is accepted by its schema, and has no field that the schema does not have", () => {
  const shown = new Map(everyOperation.map((operation) => [operation.operationId, operation]));
  let examples = 0;
  for (const { operationId, request, responses } of routes) {
    const { requestBody, responses: documented } = shown.get(operationId)!;
    const pairs: [Body | undefined, Body | undefined][] = [
      [request?.body, requestBody],
      ...Object.entries(responses).map(([status, body]): [Body, Body | undefined] => [body, documented[status]]),
    ];
    for (const [declared, body] of pairs)
      for (const [type, media] of Object.entries(body?.content ?? {}))
        for (const example of examplesOf(media)) {
          const { schema } = declared!.content![type]!;
          if (!("safeParse" in schema)) {
            expect([operationId, type, typeof example]).toEqual([operationId, type, schema.type]);
            continue;
          }
          const parsed = schema.safeParse(example);
          expect([operationId, parsed.error?.issues]).toEqual([operationId, undefined]);
          // What a request is completed with, and instants that it is parsed to, are not in the example.
          if (body !== requestBody) expect([operationId, parsed.data]).toEqual([operationId, example]);
          examples += 1;
        }
  }
  expect(examples).toBeGreaterThan(200);
});
