/**
 * Names what a request that succeeds has without effect: unknown fields and query parameters (media contract: unknown fields are tolerated), and
 * fields that are overruled by others.
 */
import { type createRoute, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { adviceOn } from "./hints/advice.ts";
import type { FieldProblem } from "./hints/field-problem.ts";
import { requireUnderstood } from "./require-understood.ts";
import { unknownFields, unknownParameters } from "./hints/unknown-fields.ts";

type Route = Parameters<typeof createRoute>[0];

const Warning = z
  .object({ field: z.string(), message: z.string() })
  .openapi("Warning", { example: { field: "titel", message: "unknown field `titel`; did you mean `title`?" } });

/** The schema of a route's JSON body; null when it has none. */
export function bodySchemaOf(request: Route["request"]): z.ZodType | null {
  const json = request?.body?.content["application/json"];
  return json !== undefined && "schema" in json && json.schema instanceof z.ZodType ? json.schema : null;
}

/** `warnings` of a response. */
export const Warnings = z.array(Warning).optional();

/** What a request may contain: the schemas whose unknown members are named. */
interface Tolerant {
  body: z.ZodType | null;
  query: z.ZodType | null;
}

/** The route, with `warnings` in its successful responses if its body or its query may have unknown members. */
export function withWarnings(route: Route): Route {
  const { request } = route;
  const tolerant: Tolerant = {
    body: unlessStrict(bodySchemaOf(request)),
    query: request?.query instanceof z.ZodType ? unlessStrict(request.query) : null,
  };
  if (tolerant.body === null && tolerant.query === null) return route;
  const responses = Object.entries(route.responses).map(([status, response]) => [
    status,
    status.startsWith("2") ? documented(response) : response,
  ]);
  const own = [route.middleware ?? []].flat();
  return { ...route, responses: Object.fromEntries(responses), middleware: [...own, warnOfUnknown(tolerant)] };
}

/** A strict object refuses unknown fields itself. */
const unlessStrict = (schema: z.ZodType | null) =>
  schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever ? null : schema;

type DocumentedResponse = Route["responses"][string];

function documented(response: DocumentedResponse): DocumentedResponse {
  if (!("content" in response)) return response;
  const content = response.content?.["application/json"];
  if (content === undefined || !("schema" in content) || !(content.schema instanceof z.ZodObject)) return response;
  const warnings = Warnings.openapi({
    description:
      "Fields and query parameters of the request that are unknown and were ignored, and fields that have no effect; absent = none",
  });
  const schema = content.schema.extend({ warnings });
  return { ...response, content: { ...response.content, "application/json": { ...content, schema } } };
}

/** Other bodies are refused by the validation, and workerd warns when they are read as text. */
const JSON_TYPE = /json/i;

/** Adds the warnings to the response as the last member, so that the bytes before it are those of the handler. */
const warnOfUnknown =
  (tolerant: Tolerant): MiddlewareHandler =>
  async (c, next) => {
    const isJson = tolerant.body !== null && JSON_TYPE.test(c.req.header("content-type") ?? "");
    const body: unknown = isJson ? await c.req.json().catch(() => null) : null;
    if (tolerant.body !== null) requireUnderstood(tolerant.body, body);
    await next();
    if (!c.res.ok || c.error !== undefined) return;
    const own = (c.get("warnings") as FieldProblem[] | undefined) ?? [];
    const warnings = [...warningsOf(tolerant, body, c.req.query()), ...own];
    if (warnings.length === 0) return;
    const text = await c.res.text();
    c.res = new Response(`${text.slice(0, text.lastIndexOf("}"))},"warnings":${JSON.stringify(warnings)}}`, c.res);
  };

const warningsOf = (tolerant: Tolerant, body: unknown, query: object) => [
  ...(tolerant.body === null ? [] : [...unknownFields(tolerant.body, body), ...adviceOn(tolerant.body, body)]),
  ...(tolerant.query === null ? [] : unknownParameters(tolerant.query, query)),
];
