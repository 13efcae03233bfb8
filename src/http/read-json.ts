import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import type { z } from "zod";
import { API_JSON, CALLBACK_JSON, exceededBound, type JsonBounds } from "./json-bounds.ts";
import { Problem } from "./problems.ts";
import { type AppContext, validationProblem } from "./router.ts";

const refuseLength = bodyLimit({
  maxSize: API_JSON.maxBytes,
  onError: () => {
    throw tooLarge(API_JSON);
  },
});

/** Refuses a body of an API request beyond `API_JSON` before anything parses it. */
export const boundApiBodies = [
  refuseLength,
  createMiddleware<AppContext>(async (c, next) => {
    if (c.req.raw.body !== null) requireBounded(await c.req.text(), API_JSON);
    await next();
  }),
] as const;

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

/** Reads no further than the bound, whatever length is announced. */
async function readText(request: Request, bounds: JsonBounds): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > bounds.maxBytes) throw tooLarge(bounds);
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const piece of request.body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > bounds.maxBytes) throw tooLarge(bounds);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
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
