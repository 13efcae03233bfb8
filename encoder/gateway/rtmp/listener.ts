/**
 * RTMP and RTMPS listener: rtmp://host/live/{streamKey}. Refuses applications other than "live", and playback.
 * TCP and TLS are implemented by Node, the protocol in `publish-protocol.ts`.
 */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { backstopOf, ConnectionLimit } from "../../platform/connection-limit.ts";
import { logError } from "../../../protocol/log.ts";
import type { Listener, Reception } from "../reception/incoming.ts";
import { serveRtmp } from "./connection.ts";

/** Each uses less than half a megabyte until it publishes. */
const MAX_CONNECTIONS = 2000;
const MAX_UNPROVEN_OF_NETWORK = 128;
export const TLS_HANDSHAKE_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;

export interface RtmpOptions {
  host: string;
  /** 0 = any free one. */
  port: number;
  protocol: "rtmp" | "rtmps";
  /** PEM; required for rtmps. */
  tls?: { key: string; cert: string };
  /** Connections per network before the Worker has accepted the stream key. */
  maxUnprovenOfNetwork?: number;
}

/** @throws when the port is unavailable, or key or certificate are invalid */
export async function openRtmpListener(options: RtmpOptions, reception: Reception): Promise<Listener> {
  const sockets = new Set<Socket>();
  const { maxUnprovenOfNetwork: perNetwork = MAX_UNPROVEN_OF_NETWORK } = options;
  const limit = new ConnectionLimit({ total: MAX_CONNECTIONS, perNetwork });
  /** The connections under TLS sockets, by `peerOf`. */
  const encrypted = new Map<string, Socket>();
  const serve = (socket: Socket) => {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    const counted = encrypted.get(peerOf(socket)) ?? socket;
    void serveRtmp(socket, options.protocol, reception, {
      advance: (step) => limit.advance(counted, step),
      awaitDecision: () => limit.awaitDecision(counted),
      prove: () => limit.prove(counted),
    });
  };
  const server: Server =
    options.protocol === "rtmps"
      ? createTlsServer({ ...options.tls, handshakeTimeout: TLS_HANDSHAKE_MS }, serve)
      : createServer(serve);
  // Mostly peers that do not use TLS. After a handshake timeout Node leaves the socket open.
  server.on("tlsClientError", (_: Error, socket: Socket) => socket.destroy());
  server.maxConnections = backstopOf(MAX_CONNECTIONS);
  server.on("connection", (socket: Socket) => {
    limit.add(socket);
    sockets.add(socket);
    const peer = peerOf(socket);
    if (options.protocol === "rtmps") encrypted.set(peer, socket);
    socket.once("close", () => {
      sockets.delete(socket);
      if (encrypted.get(peer) === socket) encrypted.delete(peer);
    });
  });
  server.listen(options.port, options.host);
  await once(server, "listening");
  server.on("error", (error) => logError("rtmp.listener_failed", { how: error.message }));
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

/** Identifies a TCP connection by its addresses and port. A TLS socket has those of its underlying connection. */
const peerOf = ({ remoteAddress, remotePort, localAddress }: Socket) =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
