/**
 * RTMP and RTMPS: rtmp://host/live/{streamKey}. Other applications than "live" are refused, and so is playing.
 * TCP and TLS are Node's; the protocol is node-media-server's (`publish-protocol.ts`).
 */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { ConnectionLimit } from "../../connection-limit.ts";
import { log } from "../../log.ts";
import type { Listener, Reception } from "../incoming.ts";
import { serveRtmp } from "./connection.ts";

/** Each takes less than half a megabyte until it publishes; past it the newest are dropped. */
const MAX_CONNECTIONS = 2000;
/** Of one address, before the Worker has said yes to their key. */
const MAX_UNPROVEN_OF_ADDRESS = 128;
export const TLS_HANDSHAKE_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;

export interface RtmpOptions {
  host: string;
  /** 0 = any free one. */
  port: number;
  protocol: "rtmp" | "rtmps";
  /** PEM; for rtmps. */
  tls?: { key: string; cert: string };
}

/** @throws when the port cannot be had, or the key and certificate are none */
export async function openRtmpListener(options: RtmpOptions, reception: Reception): Promise<Listener> {
  const sockets = new Set<Socket>();
  const limit = new ConnectionLimit(MAX_UNPROVEN_OF_ADDRESS);
  const serve = (socket: Socket) => {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    void serveRtmp(socket, options.protocol, reception, limit);
  };
  const server: Server =
    options.protocol === "rtmps"
      ? createTlsServer({ ...options.tls, handshakeTimeout: TLS_HANDSHAKE_MS }, serve)
      : createServer(serve);
  // No TLS at all, mostly. After a handshake that took too long Node leaves the socket open.
  server.on("tlsClientError", (_: Error, socket: Socket) => socket.destroy());
  server.maxConnections = MAX_CONNECTIONS;
  server.on("connection", (socket: Socket) => {
    limit.add(socket);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(options.port, options.host);
  await once(server, "listening");
  server.on("error", (error) => log("error", "rtmp.listener_failed", { how: error.message }));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : options.port,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
