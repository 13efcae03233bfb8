import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { z } from "zod";
import { readBounded } from "../../../protocol/read-bounded.ts";
import { API_JSON, CALLBACK_JSON, exceededBound, type JsonBounds } from "./json-bounds.ts";
import { Problem } from "./problems.ts";
import { type AppContext, validationProblem } from "./router.ts";

/** Refuses a body of an API request beyond `API_JSON` before anything parses it. */
export const boundApiBodies = createMiddleware<AppContext>(async (c, next) => {
  if (c.req.raw.body !== null) requireBounded(await boundedText(c), API_JSON);
  await next();
});

/** Handlers can read the body again. */
async function boundedText(c: Context<AppContext>): Promise<string> {
  const { raw } = c.req;
  if (raw.headers.has("content-length") && !raw.headers.has("transfer-encoding")) {
    requireLength(raw, API_JSON);
    return await c.req.text();
  }
  const text = await readText(raw, API_JSON);
  c.req.raw = new Request(raw, { method: raw.method, body: text });
  return text;
}

/**
 * The JSON body of a callback of ours, checked against its schema.
 *
 * @throws {Problem} body_too_large; validation_failed
 */
export async function readCallback<T extends z.ZodType>(schema: T, request: Request): Promise<z.infer<T>> {
  const text = await readText(request, CALLBACK_JSON);
  requireBounded(text, CALLBACK_JSON);
  const body = parse(text);
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw validationProblem(parsed.error, body);
  return parsed.data;
}

function requireLength(request: Request, bounds: JsonBounds): void {
  if (Number(request.headers.get("content-length") ?? 0) > bounds.maxBytes) throw tooLarge(bounds);
}

/** Reads no further than the bound, whatever length is announced. What is left can still be read (`lingering.ts`). */
async function readText(request: Request, bounds: JsonBounds): Promise<string> {
  requireLength(request, bounds);
  if (request.body === null) return "";
  const bytes = await readBounded(request.body.values({ preventCancel: true }), bounds.maxBytes);
  if (bytes === null) throw tooLarge(bounds);
  return new TextDecoder().decode(bytes);
}

function requireBounded(text: string, bounds: JsonBounds): void {
  const exceeded = exceededBound(text, bounds);
  if (exceeded === null) return;
  throw new Problem("validation_failed", exceeded, { fields: [{ field: "body", message: exceeded }] });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const tooLarge = ({ maxBytes }: JsonBounds) =>
  new Problem("body_too_large", maxBytes % 1024 === 0 ? `at most ${maxBytes / 1024} KiB` : `at most ${maxBytes} bytes`);
