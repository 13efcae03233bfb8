/**
 * An HTTP server for sources with configurable behaviour, for tests and benchmarks. `add` sets a path's behaviour, also while the server
 * runs.
 */
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { bufferContent, type SourceContent } from "./source-content.ts";
import { sendContent, type ContentBehaviour } from "./source-answers.ts";
import { untrustedCertificate } from "./untrusted-certificate.ts";
import { KEPT_CONNECTIONS } from "./kept-connections.ts";

/** What a path does. `content` is a buffer or what `virtualContent`, `fileContent` make. */
export type SourceBehaviour =
  | ({ kind: "content"; content: SourceContent | Uint8Array } & ContentBehaviour)
  | { kind: "status"; status: number; headers?: Record<string, string>; body?: string }
  | { kind: "redirect"; location: string; status?: number }
  /** Never answers. */
  | { kind: "hang" }
  /** Ends the connection without an answer. */
  | { kind: "hangUp" }
  /** Writes these raw bytes to the socket and ends the connection. */
  | { kind: "raw"; text: string };

export interface SourceRequestRecord {
  path: string;
  range: string | null;
  headers: IncomingMessage["headers"];
}

export interface SourceServer {
  readonly port: number;
  /** Without a trailing slash. */
  readonly origin: string;
  /** Every request since the last `forget()`. */
  readonly requests: SourceRequestRecord[];
  /** Bytes of bodies handed to sockets since the last `forget()`. */
  readonly sentBytes: number;
  url(path: string): string;
  add(path: string, behaviour: SourceBehaviour): void;
  forget(): void;
  /** Breaks every connection and refuses new ones. */
  stop(): Promise<void>;
  /** Restarts on the same port. */
  start(): Promise<void>;
}

export interface SourceServerOptions {
  /** 0 = any free port. */
  port?: number;
  hostname?: string;
  /** With an untrusted certificate. */
  tls?: boolean;
  /** Behaviour of paths that were not added; null = 404. Query strings are part of the URL. */
  fallback?: (url: URL) => SourceBehaviour | null;
}

export async function startSourceServer(options: SourceServerOptions = {}): Promise<SourceServer> {
  const hostname = options.hostname ?? "127.0.0.1";
  const behaviours = new Map<string, SourceBehaviour>();
  const requests: SourceRequestRecord[] = [];
  const counters = { sentBytes: 0 };
  const sockets = new Set<Socket>();
  let port = options.port ?? 0;
  let server: Server | null = null;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://source");
    requests.push({ path: url.pathname, range: request.headers.range ?? null, headers: request.headers });
    const behaviour = behaviours.get(url.pathname) ?? options.fallback?.(url) ?? null;
    await behave(behaviour, request, response, (bytes) => (counters.sentBytes += bytes));
  }

  function listener(request: IncomingMessage, response: ServerResponse): void {
    answer(request, response).catch((error: unknown) => {
      console.error("A test's source server failed", error);
      response.destroy();
    });
  }

  async function start(): Promise<void> {
    const created =
      options.tls === true
        ? createTlsServer({ ...KEPT_CONNECTIONS, ...untrustedCertificate() }, listener)
        : createHttpServer(KEPT_CONNECTIONS, listener);
    created.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => undefined); // A client may disconnect.
    });
    await new Promise<void>((resolve, reject) => {
      created.once("error", reject);
      created.listen(port, hostname, resolve);
    });
    const address = created.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    port = address.port;
    server = created;
  }

  async function stop(): Promise<void> {
    const running = server;
    server = null;
    if (running === null) return;
    const closed = new Promise<void>((resolve) => void running.close(() => resolve()));
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  }

  await start();
  const scheme = options.tls === true ? "https" : "http";
  return {
    get port() {
      return port;
    },
    get origin() {
      return `${scheme}://${hostname}:${port}`;
    },
    requests,
    get sentBytes() {
      return counters.sentBytes;
    },
    url: (path) => `${scheme}://${hostname}:${port}${path}`,
    add: (path, behaviour) => void behaviours.set(path, behaviour),
    forget() {
      requests.length = 0;
      counters.sentBytes = 0;
    },
    stop,
    start,
  };
}

async function behave(
  behaviour: SourceBehaviour | null,
  request: IncomingMessage,
  response: ServerResponse,
  count: (bytes: number) => void,
): Promise<void> {
  switch (behaviour?.kind) {
    case undefined:
      return void response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
    case "status":
      return void response.writeHead(behaviour.status, behaviour.headers ?? {}).end(behaviour.body ?? "");
    case "redirect":
      return void response.writeHead(behaviour.status ?? 302, { location: behaviour.location }).end();
    case "hang":
      return;
    case "hangUp":
      return void request.socket.destroy();
    case "raw":
      return void request.socket.end(behaviour.text);
    case "content": {
      const { content } = behaviour;
      const whole = content instanceof Uint8Array ? bufferContent(content) : content;
      return sendContent(whole, behaviour, request, response, count);
    }
  }
}
