import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { z } from "zod";
import { API_JSON, CALLBACK_JSON, exceededBound, type JsonBounds } from "./json-bounds.ts";
import { Problem } from "./problems.ts";
import { readBytes, requireLength, statedLength } from "./read-bytes.ts";
import type { AppContext } from "./router.ts";
import { notJson, validationProblem } from "./validation.ts";

/** Refuses API request bodies beyond the bounds of `API_JSON`, before they are parsed. */
export const boundApiBodies = createMiddleware<AppContext>(async (c, next) => {
  if (c.req.raw.body !== null) requireBounded(await boundedText(c), API_JSON);
  await next();
});

/** Handlers can read the body again. */
async function boundedText(c: Context<AppContext>): Promise<string> {
  const { raw } = c.req;
  if (statedLength(raw.headers) !== null) {
    requireLength(raw, API_JSON.maxBytes);
    return decoded(await c.req.arrayBuffer());
  }
  const text = await readText(raw, API_JSON);
  c.req.raw = new Request(raw, { method: raw.method, body: text });
  return text;
}

/** The JSON body of an internal callback. @throws {Problem} body_too_large; validation_failed */
export const readCallback = <T extends z.ZodType>(schema: T, request: Request): Promise<z.infer<T>> =>
  readBoundedJson(schema, request, CALLBACK_JSON);

/**
 * A JSON body, validated against its schema, whatever its content type.
 *
 * @throws {Problem} body_too_large; validation_failed
 */
export async function readBoundedJson<T extends z.ZodType>(
  schema: T,
  request: Request,
  bounds: JsonBounds,
): Promise<z.infer<T>> {
  const text = await readText(request, bounds);
  requireBounded(text, bounds);
  const body = parse(text);
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw validationProblem(parsed.error, { data: body, schema });
  return parsed.data;
}

const readText = async (request: Request, { maxBytes }: JsonBounds): Promise<string> =>
  decoded(await readBytes(request, maxBytes));

/** @throws {Problem} validation_failed for bytes that are not UTF-8, which would be stored as other text */
function decoded(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    const fields = [{ field: "body", message: "is not UTF-8", hint: "must be a JSON document in UTF-8" }];
    throw new Problem("validation_failed", "the body is not UTF-8", { fields });
  }
}

function requireBounded(text: string, bounds: JsonBounds): void {
  const exceeded = exceededBound(text, bounds);
  if (exceeded === null) return;
  throw new Problem("validation_failed", exceeded, { fields: [{ field: "body", message: exceeded }] });
}

/** @throws {Problem} validation_failed */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(text);
  }
}
