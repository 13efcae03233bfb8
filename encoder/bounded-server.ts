/**
 * An HTTP server that strangers may connect to: what they can hold open without a secret has bounds. A request that was let in may last as
 * long as it wants, because a broadcast is one request.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { backstopOf, ConnectionLimit } from "./connection-limit.ts";

export interface ServerLimits {
  /** From the connection, or the last answer, to the end of the headers. */
  headersMs: number;
  /** Between two looks for connections that exceed `headersMs`. */
  checkEveryMs: number;
  connections: number;
  /** Of one network (an IPv4 address, an IPv6 /48), without a request that showed the secret. */
  unprovenOfNetwork: number;
}
export const SERVER_LIMITS: ServerLimits = {
  headersMs: 10_000,
  checkEveryMs: 1000,
  connections: 1024,
  unprovenOfNetwork: 64,
};

/** @param isKnown whether the request shows the secret; the others are answered 401 and their connections closed */
export function boundedServer(
  isKnown: (request: IncomingMessage) => boolean,
  handle: RequestListener,
  limits: ServerLimits = SERVER_LIMITS,
): Server {
  const limit = new ConnectionLimit({ total: limits.connections, perNetwork: limits.unprovenOfNetwork });
  const options = {
    requestTimeout: 0, // by default it would bound `headersTimeout` too, so that is set
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: limits.checkEveryMs,
  };
  const server = createServer(options, (request, response) => {
    if (!isKnown(request)) return refuse(response);
    limit.prove(request.socket);
    handle(request, response);
  });
  server.maxConnections = backstopOf(limits.connections);
  server.on("connection", (socket) => limit.add(socket));
  return server;
}

/** The rest of the request is not waited for. */
function refuse(response: ServerResponse): void {
  response.writeHead(401, { "Content-Type": "application/json", Connection: "close" });
  response.end(JSON.stringify({ error: "unauthorized" }));
}
