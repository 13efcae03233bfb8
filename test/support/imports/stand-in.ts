/**
 * The server below every stand-in of a video platform: it records calls, keeps the vendor's limits, plants faults and serves files with
 * ranges. It needs nothing but Node, so whole-platform tests and soaks use it as well.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { KEPT_CONNECTIONS } from "../kept-connections.ts";
import { sendContent } from "../source-answers.ts";
import type { SourceContent } from "../source-content.ts";
import { distorted, Faults, type Fault, type ListFaults } from "./stand-in-faults.ts";
import type { StandInClip, StandInVideo } from "./stand-in-library.ts";

/** What all stand-ins offer. */
export interface StandIn {
  /** Base of its API and of its files, without a slash at the end: the value for IMPORT_BASE_URLS. */
  readonly url: string;
  readonly calls: RecordedCall[];
  /** Changes show at once. Replace nothing: `add` and `remove` keep its order. */
  readonly videos: ReadonlyMap<string, StandInVideo>;
  readonly lists: ListFaults;
  add(...videos: StandInVideo[]): void;
  /** Adds this many that share one clip. @returns their ids */
  addMany(count: number, clip: StandInClip, over?: (number: number) => Partial<StandInVideo>): string[];
  remove(id: string): void;
  plant(fault: Fault): void;
  /** Removes all faults. */
  heal(): void;
  /** Ids of the videos whose access is switched at the source at this moment: what `release` switches back. */
  switched(): string[];
  close(): Promise<void>;
}

export interface RecordedCall {
  method: string;
  /** With the query. */
  path: string;
  /** Of the answer; null = the connection was closed without one. */
  status: number | null;
}

export interface StandInCall {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  /** Parsed, if it is JSON; "" = none. */
  body: unknown;
  /** `http://127.0.0.1:1234`: addresses in answers begin with it. */
  origin: string;
}

export type StandInAnswer = { status: number; headers?: Record<string, string> } & (
  | { json: unknown }
  | { text: string; contentType: string }
  | { content: SourceContent; contentType: string }
);

export interface Vendor {
  /** Whether a path belongs to the API; the others are files. */
  isApi(path: string): boolean;
  answer(call: StandInCall): StandInAnswer | Promise<StandInAnswer>;
  rateLimited(retryAfterSeconds: number): StandInAnswer;
  /** An error of the vendor's own, for a planted status. */
  failed(status: number): StandInAnswer;
}

/** Requests that the API takes within a sliding window; beyond it, it answers 429. */
export interface VendorLimit {
  windowMs: number;
  reads: number;
  writes: number;
}

export interface ServedVendor {
  url: string;
  calls: RecordedCall[];
  faults: Faults;
  close(): Promise<void>;
}

const HTML = "<!doctype html><html><body><h1>We are back soon</h1></body></html>";

/** @param port 0 = any free one */
export async function serveVendor(vendor: Vendor, port = 0, limit: VendorLimit | null = null): Promise<ServedVendor> {
  const calls: RecordedCall[] = [];
  const faults = new Faults();
  const limiter = limit === null ? null : slidingLimit(limit);
  const sockets = new Set<Socket>();

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await readCall(request);
    const record: RecordedCall = { method: call.method, path: request.url ?? "/", status: null };
    calls.push(record);
    const isApi = vendor.isApi(call.path);
    const fault = faults.of(`${call.method} ${call.path}`, isApi);
    if (fault?.kind === "close") return void request.socket.destroy();
    const waitMs = isApi ? (limiter?.(call.method) ?? null) : null;
    const answer = waitMs === null ? await faulty(vendor, call, fault) : vendor.rateLimited(Math.ceil(waitMs / 1000));
    record.status = answer.status;
    await send(answer, request, response);
  }

  const server = createServer(KEPT_CONNECTIONS, (request, response) => {
    respond(request, response).catch((error: unknown) => {
      console.error("A stand-in failed", error);
      response.destroy();
    });
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined); // A client may disconnect.
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the stand-in has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    faults,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function faulty(vendor: Vendor, call: StandInCall, fault: Fault | null): Promise<StandInAnswer> {
  if (fault?.kind === "rateLimited") return vendor.rateLimited(fault.retryAfterSeconds);
  if (fault?.kind === "status") return vendor.failed(fault.status);
  if (fault?.kind === "html") return { status: 200, text: HTML, contentType: "text/html; charset=utf-8" };
  const answer = await vendor.answer(call);
  return fault !== null && "json" in answer ? { ...answer, json: distorted(answer.json, fault) } : answer;
}

async function readCall(request: IncomingMessage): Promise<StandInCall> {
  const origin = `http://${request.headers.host ?? "127.0.0.1"}`;
  const url = new URL(request.url ?? "/", origin);
  const body = await text(request);
  const isJson = (request.headers["content-type"] ?? "").includes("json") && body !== "";
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: isJson ? (JSON.parse(body) as unknown) : body,
    origin,
  };
}

async function send(answer: StandInAnswer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers = {} } = answer;
  if ("content" in answer) {
    return sendContent(
      answer.content,
      { contentType: answer.contentType, headers, ...validatorsOf(headers) },
      request,
      response,
      () => undefined,
    );
  }
  const [body, contentType] =
    "json" in answer
      ? [JSON.stringify(answer.json), "application/json; charset=utf-8"]
      : [answer.text, answer.contentType];
  response.writeHead(status, { "content-type": contentType, ...headers }).end(body);
}

/** What `If-Range` is compared with. */
function validatorsOf({ etag, "last-modified": lastModified }: Record<string, string>) {
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}

/** How long until a request of this method is taken again, ms; null = it is taken. */
function slidingLimit(limit: VendorLimit): (method: string) => number | null {
  const taken: Record<"reads" | "writes", number[]> = { reads: [], writes: [] };
  return (method) => {
    const kind = method === "GET" || method === "HEAD" ? "reads" : "writes";
    const now = Date.now();
    const times = taken[kind];
    while (times[0] !== undefined && times[0] <= now - limit.windowMs) times.shift();
    if (times.length >= limit[kind]) return (times[0] ?? now) + limit.windowMs - now;
    times.push(now);
    return null;
  };
}
