export interface JsonSchema {
  $ref?: string;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  [keyword: string]: unknown;
}
export type Schemas = Record<string, JsonSchema>;

const REFERENCE = "#/components/schemas/";
const ONE = new Set(["items", "additionalProperties", "not"]);
const SEVERAL = new Set(["allOf", "anyOf", "oneOf"]);

/**
 * A schema of the OpenAPI document as a JSON Schema that stands alone: components are put in their places, because models and their providers
 * read references badly, and the keywords of OpenAPI alone are left out. Pure.
 *
 * @throws {Error} for a component that contains itself
 */
export function plainSchema(schema: JsonSchema, schemas: Schemas, within: readonly string[] = []): JsonSchema {
  const { $ref, ...own } = schema;
  const plain: JsonSchema = {};
  if ($ref !== undefined) {
    const name = $ref.replace(REFERENCE, "");
    const component = schemas[name];
    if (component === undefined || within.includes(name)) throw new Error(`the schema ${name} cannot be inserted`);
    Object.assign(plain, plainSchema(component, schemas, [...within, name]));
  }
  const inner = (value: unknown) => plainSchema(value as JsonSchema, schemas, within);
  for (const [keyword, value] of Object.entries(own)) {
    if (keyword === "example" || keyword === "discriminator") continue;
    if (keyword === "properties")
      plain.properties = Object.fromEntries(
        Object.entries(value as Schemas).map(([name, property]) => [name, inner(property)]),
      );
    else if (ONE.has(keyword) && typeof value === "object") plain[keyword] = inner(value);
    else if (SEVERAL.has(keyword)) plain[keyword] = (value as unknown[]).map(inner);
    else plain[keyword] = value;
  }
  return plain;
}
