import { z } from "@hono/zod-openapi";
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { API_JSON } from "../platform/http/json-bounds.ts";
import { Problem, PROBLEMS } from "../platform/http/problems.ts";
import { readBoundedJson } from "../platform/http/read-json.ts";
import type { AppContext, Caller } from "../platform/http/router.ts";
import { log } from "../platform/log.ts";
import { answerRequest, type Call } from "./answer-request.ts";
import { describeTools, type Tool } from "./describe-tools.ts";
import { CODES, idOf, readMessage, rpcError, RpcError, rpcResult } from "./json-rpc.ts";
import { isOwnOrigin } from "./origin.ts";
import { takesBatches } from "./revisions.ts";
import { TOOLS } from "./tool-table.ts";

/** Messages of one POST. They are answered one after another. */
const MAX_BATCH = 10;

/** What the route needs of the API. */
export interface McpCalls {
  /** Sends a request through the router, as if a client had sent it. */
  send: (request: Request, c: Context<AppContext>) => Response | Promise<Response>;
  /** The OpenAPI document. */
  document: () => object;
  authenticate: (c: Context<AppContext>) => Promise<Caller>;
  countRequest: (env: AppContext["Bindings"], workspaceId: string) => Promise<void>;
}

interface CountedCall extends Call {
  /** Counts a request of the API. @throws {Problem} too_many_requests */
  count: () => Promise<void>;
}

/**
 * `/mcp`: the Model Context Protocol over Streamable HTTP, without sessions and streams. Each call of a tool is a request of the API, with the
 * caller's credential, and appears in the request log as that request.
 */
export function mcpRoutes(calls: McpCalls) {
  let tools: Map<string, Tool> | undefined;
  const answer = async (c: Context<AppContext>): Promise<Response> => {
    const body = await readMessages(c.req.raw);
    const { workspaceId, credentialId } = await calls.authenticate(c);
    const { requestId } = c.var;
    const call: CountedCall = {
      headers: c.req.raw.headers,
      url: c.req.url,
      tools: (tools ??= describeTools(TOOLS, calls.document())),
      caller: callerHeaders(c),
      send: async (request) => await calls.send(request, c),
      count: () => calls.countRequest(c.env, workspaceId),
      log: (tool, status) => log("mcp.tool_called", { requestId, tool, status, credentialId }),
    };
    return Array.isArray(body) ? await answerBatch(body, call) : await answerSingle(body, call);
  };
  return new Hono<AppContext>()
    .use("/mcp", refuseForeignOrigins)
    .post("/mcp", async (c) => await orRpcError(undefined, () => answer(c)));
}

const refuseForeignOrigins = createMiddleware<AppContext>(async (c, next) => {
  if (!isOwnOrigin(c.req.header("origin") ?? null, c.req.url, c.env.PUBLIC_URL))
    throw new Problem("forbidden", "pages of other origins may not call this address");
  await next();
});

/** The parsed body, within its bounds. @throws {RpcError} @throws {Problem} body_too_large */
async function readMessages(request: Request): Promise<unknown> {
  if (!/^application\/json *(?:;|$)/i.test(request.headers.get("content-type") ?? "")) throw new HTTPException(415);
  const body = await readBoundedJson(z.unknown(), request, API_JSON).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "validation_failed")
      throw new RpcError(CODES.parseError, `Parse error: ${error.message}`, { status: 400 });
    throw error;
  });
  if (!Array.isArray(body)) return body;
  const refused = (why: string) => new RpcError(CODES.invalidRequest, why, { status: 400 });
  if (!takesBatches(request.headers)) throw refused("this revision of the protocol has no batches");
  if (body.length === 0) throw refused("the batch is empty");
  if (body.length > MAX_BATCH) throw refused(`a batch has at most ${MAX_BATCH} messages`);
  return body;
}

/** Whom the API authenticates and logs. Its request gets the id of this one. */
function callerHeaders(c: Context<AppContext>): Headers {
  const headers = new Headers({ "cf-ray": c.var.requestId });
  for (const name of ["authorization", "cf-connecting-ip", "user-agent"]) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

async function answerSingle(message: unknown, call: CountedCall): Promise<Response> {
  return await orRpcError(message, async () => {
    const answer = await answerMessage(message, call);
    return answer === null ? new Response(null, { status: 202 }) : rpcResponse(answer, 200);
  });
}

/** @param message whose id the error gets */
async function orRpcError(message: unknown, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof RpcError) return rpcResponse(rpcError(idOf(message), error), error.status);
    throw error;
  }
}

async function answerBatch(messages: unknown[], call: CountedCall): Promise<Response> {
  const answers: object[] = [];
  for (const message of messages) {
    try {
      const answer = await answerMessage(message, call, { isInBatch: true });
      if (answer !== null) answers.push(answer);
    } catch (error) {
      answers.push(rpcError(idOf(message), ofBatch(error)));
    }
  }
  return answers.length === 0 ? new Response(null, { status: 202 }) : rpcResponse(answers, 200);
}

/**
 * Each message counts as one request of the API: that which its tool sends, or itself.
 *
 * @returns null for a message that is not answered
 * @throws {RpcError}
 * @throws {Problem} too_many_requests
 */
async function answerMessage(message: unknown, call: CountedCall, { isInBatch = false } = {}): Promise<object | null> {
  let isSent = false;
  const send = async (request: Request) => {
    isSent = true;
    return await call.send(request);
  };
  try {
    const request = readMessage(message);
    if (request === null) return null;
    if (isInBatch && request.method === "initialize")
      throw new RpcError(CODES.invalidRequest, "initialize stands alone");
    return rpcResult(request.id, await answerRequest(request, { ...call, send }));
  } finally {
    if (!isSent) await call.count();
  }
}

/** The other messages of a batch keep their answers, so that an error of the API is one of its message. */
function ofBatch(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof Problem) return new RpcError(PROBLEMS[error.code].status, error.message);
  throw error;
}

const rpcResponse = (message: object, status: number): Response =>
  new Response(JSON.stringify(message), { status, headers: { "content-type": "application/json" } });
