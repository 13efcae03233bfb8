/** Completes an OpenAPI document with example bodies, composed from the examples of its components. Pure. */

interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  format?: string;
  minimum?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  allOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
}
interface MediaType {
  schema?: JsonSchema;
  example?: unknown;
  examples?: Record<string, unknown>;
}
interface Body {
  content?: Record<string, MediaType>;
}
export interface DocumentOperation {
  requestBody?: Body;
  responses?: Record<string, Body>;
}
export interface ApiDocument {
  paths?: Record<string, Record<string, DocumentOperation>>;
  components?: { schemas?: Record<string, JsonSchema> };
}

const SOME_UUID = "c46f80d1-93a7-4e2b-b5d8-06f2a71c3e9b";
const REFERENCE = "#/components/schemas/";

/**
 * Adds an example to every body without one. A body whose schema has a required field without an example stays without.
 *
 * @param examples by component; its own `example` or the parts of its schema otherwise
 */
export function withExamples<Document extends ApiDocument>(
  document: Document,
  examples: Record<string, unknown>,
): Document {
  const schemas = document.components?.schemas ?? {};
  const complete = ({ content = {} }: Body) => {
    for (const media of Object.values(content)) {
      if (media.schema === undefined || media.example !== undefined || media.examples !== undefined) continue;
      const example = compose(media.schema, { schemas, examples });
      if (example !== undefined) media.example = example;
    }
  };
  for (const path of Object.values(document.paths ?? {}))
    for (const { requestBody, responses = {} } of Object.values(path))
      [...(requestBody ? [requestBody] : []), ...Object.values(responses)].forEach(complete);
  return document;
}

interface Known {
  schemas: Record<string, JsonSchema>;
  examples: Record<string, unknown>;
}

/** Undefined when a required part has no example. */
function compose(schema: JsonSchema, known: Known): unknown {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace(REFERENCE, "");
    return known.examples[name] ?? compose(known.schemas[name] ?? {}, known);
  }
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.allOf !== undefined) return merged(schema.allOf.map((one) => compose(one, known)));
  const options = schema.oneOf ?? schema.anyOf;
  if (options !== undefined) return compose(options[0] ?? {}, known);
  if (schema.type === "array") return elements(schema, known);
  if (schema.type === "object") return object(schema, known);
  if (schema.format === "uuid") return SOME_UUID;
  if (schema.type === "integer") return schema.minimum ?? 0;
  return undefined;
}

function elements({ items = {} }: JsonSchema, known: Known): unknown[] | undefined {
  const element = compose(items, known);
  return element === undefined ? undefined : [element];
}

/** Optional fields are left out. */
function object({ properties = {}, required = [] }: JsonSchema, known: Known): object | undefined {
  const fields = required.map((name) => [name, compose(properties[name] ?? {}, known)] as const);
  return fields.some(([, example]) => example === undefined) ? undefined : Object.fromEntries(fields);
}

const merged = (parts: unknown[]): object | undefined =>
  parts.includes(undefined) ? undefined : Object.assign({}, ...(parts as object[]));
