/**
 * An HTTP server with limits on unauthenticated connections. An authenticated request may last indefinitely, because a broadcast is one
 * request.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { backstopOf, ConnectionLimit } from "./connection-limit.ts";

export interface ServerLimits {
  /** Time limit from the connection, or the last response, to the end of the headers. */
  headersMs: number;
  /** Interval of the check for connections that exceed `headersMs`. */
  checkEveryMs: number;
  connections: number;
  /** Unauthenticated connections per network (an IPv4 address, an IPv6 /48). */
  unprovenOfNetwork: number;
}
export const SERVER_LIMITS: ServerLimits = {
  headersMs: 10_000,
  checkEveryMs: 1000,
  connections: 1024,
  unprovenOfNetwork: 64,
};

/** @param isKnown whether the request is authenticated; others get a 401 and their connections are closed */
export function boundedServer(
  isKnown: (request: IncomingMessage) => boolean,
  handle: RequestListener,
  limits: ServerLimits = SERVER_LIMITS,
): Server {
  const limit = new ConnectionLimit({ total: limits.connections, perNetwork: limits.unprovenOfNetwork });
  const options = {
    requestTimeout: 0, // the default would also cap `headersTimeout`
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

/** Responds without waiting for the rest of the request. */
function refuse(response: ServerResponse): void {
  response.writeHead(401, { "Content-Type": "application/json", Connection: "close" });
  response.end(JSON.stringify({ error: "unauthorized" }));
}
