/** Describes the tools by the OpenAPI document, which is made of the routes' own schemas, so that a tool accepts what its route does. Pure. */
import type { ToolEntry } from "./tool-table.ts";
import { type JsonSchema, plainSchema, type Schemas } from "./plain-schema.ts";

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: JsonSchema;
}
interface Operation {
  summary?: string;
  description?: string;
  parameters?: readonly Parameter[];
  requestBody?: { content?: Record<string, { schema?: JsonSchema }> };
}
export interface ApiDocument {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Schemas };
}

/** Where an argument goes in the request. */
export interface Place {
  in: "path" | "query" | "header" | "body";
  /** Its name there. */
  name: string;
}

/** The tool as `tools/list` shows it. */
interface Listing {
  name: string;
  title: string;
  description: string;
  inputSchema: object;
  annotations: object;
}

export interface Tool {
  method: string;
  path: string;
  places: ReadonlyMap<string, Place>;
  keeps: ReadonlySet<string>;
  /** What the agent can do when the answer is too long. */
  tooLong: string;
  /** Fields of the body that every call has. */
  fixed: Readonly<Record<string, unknown>>;
  listing: Listing;
}

/** @throws {Error} for an entry that the document contradicts */
export function describeTools(entries: readonly ToolEntry[], document: ApiDocument): Map<string, Tool> {
  return new Map(entries.map((entry) => [entry.name, describeTool(entry, document)]));
}

function describeTool(entry: ToolEntry, document: ApiDocument): Tool {
  const { name, route, hint, without = [], fixed = {}, onlyAdds = false, keeps = [] } = entry;
  const { tooLong = "ask for fewer rows" } = entry;
  const [method = "", path = ""] = route.split(" ");
  const operation = document.paths?.[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`the tool ${name} names ${route}, which is no operation`);
  const all = argumentsOf(operation, document.components?.schemas ?? {});
  const left = [...without, ...Object.keys(fixed)];
  const unknown = left.filter((argument) => !all.some((one) => one.argument === argument));
  if (unknown.length > 0) throw new Error(`the tool ${name} leaves out ${unknown.join(", ")}, which ${route} lacks`);
  const taken = all.filter(({ argument }) => !left.includes(argument));
  const places = new Map(taken.map(({ argument, place }) => [argument, place]));
  if (places.size < taken.length) throw new Error(`${route} has two parameters of one name`);
  const required = taken.filter((one) => one.isRequired).map(({ argument }) => argument);
  const isRead = method === "GET";
  const isChange = method === "PATCH";
  return {
    method,
    path,
    places,
    keeps: new Set(keeps),
    tooLong,
    fixed,
    listing: {
      name,
      title: operation.summary ?? name,
      description: [`${operation.summary ?? name}.`, operation.description, hint].filter(Boolean).join(" "),
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(taken.map(({ argument, schema }) => [argument, schema])),
        ...(required.length === 0 ? {} : { required }),
        additionalProperties: false,
      },
      annotations: {
        readOnlyHint: isRead,
        destructiveHint: isChange && !onlyAdds, // it replaces what was there
        idempotentHint: isRead || isChange,
        openWorldHint: !isRead,
      },
    },
  };
}

interface Argument {
  argument: string;
  place: Place;
  isRequired: boolean;
  schema: JsonSchema;
}

/** Parameters and fields of the body side by side: models fill in flat arguments more reliably than nested ones. */
function argumentsOf({ parameters = [], requestBody }: Operation, schemas: Schemas): Argument[] {
  const body = plainSchema(requestBody?.content?.["application/json"]?.schema ?? {}, schemas);
  const required = new Set(body.required ?? []);
  return [
    ...parameters.map(({ name, in: where, required: isRequired = false, description, schema = {} }) => ({
      argument: name.replace(/\[\]$/, ""), // several providers of models refuse other characters than letters, digits, _, - and .
      place: { in: where as Place["in"], name },
      isRequired,
      schema: { ...(description === undefined ? {} : { description }), ...plainSchema(schema, schemas) },
    })),
    ...Object.entries(body.properties ?? {}).map(([name, schema]) => ({
      argument: name,
      place: { in: "body" as const, name },
      isRequired: required.has(name),
      schema,
    })),
  ];
}
