/** Connects to a third-party server. Private addresses are refused at connection time, after name resolution. */
import { lookup as resolve } from "node:dns";
import { BlockList, connect, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Destination, SimulcastReason } from "./target.ts";

/** The same blocks as `src/platform/network/addresses.ts`, which the encoder image does not contain; a test keeps them equal. */
const CLOSED_IPV4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 " +
  "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";
/** Outside 2000::/3 only addresses that embed an IPv4 address can be public. */
const CLOSED_IPV6 = "::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20";
const EMBEDS_IPV4 = /^(?:::ffff:|64:ff9b::)(.*)$/i;

/** One list per family: a combined list would also match an IPv4 address in its IPv6-mapped form. */
const blockListOf = (blocks: string, family: "ipv4" | "ipv6") => {
  const list = new BlockList();
  for (const block of blocks.split(" ")) {
    const [address = "", bits] = block.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};
const closedIpv4 = blockListOf(CLOSED_IPV4, "ipv4");
const closedIpv6 = blockListOf(CLOSED_IPV6, "ipv6");

/** @param address in the system's notation */
export function isPublicAddress(address: string): boolean {
  const embedded = EMBEDS_IPV4.exec(address)?.[1];
  if (embedded !== undefined && isIP(embedded) === 4) return isPublicAddress(embedded);
  if (isIP(address) === 4) return !closedIpv4.check(address, "ipv4");
  return isIP(address) === 6 && !closedIpv6.check(address, "ipv6");
}

export class DialError extends Error {
  readonly reason: SimulcastReason;
  constructor(reason: SimulcastReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Node's code, such as "ECONNREFUSED" or "DEPTH_ZERO_SELF_SIGNED_CERT". The message would put the address into logs. */
const codeOf = (error: Error) => ("code" in error && typeof error.code === "string" ? error.code : "no connection");

const forbidden = () => new DialError("forbidden_address", "The target has a private or local address.");

/** Connects without reading, so that the socket can be passed to another process. @throws {DialError} */
export async function dial(to: Destination, allowPrivateNetwork: boolean, signal: AbortSignal): Promise<Socket> {
  const isAllowed = (address: string) => allowPrivateNetwork || isPublicAddress(address);
  if (isIP(to.host) !== 0 && !isAllowed(to.host)) throw forbidden();
  const lookup: LookupFunction = (name, options, done) =>
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      if (!addresses.every(({ address }) => isAllowed(address))) return done(forbidden(), []);
      const [first] = addresses;
      if (options.all === true) done(null, addresses);
      else done(null, first!.address, first!.family);
    });
  const socket = connect({ host: to.host, port: to.port, lookup, noDelay: true });
  socket.pause();
  return await opened(socket, "connect", signal);
}

/** Starts TLS on the connection when the target's URL requires it. @throws {DialError} */
export function secured(socket: Socket, to: Destination, signal: AbortSignal): Promise<Socket> {
  if (!to.isSecure) return Promise.resolve(socket);
  const name = isIP(to.host) === 0 ? { servername: to.host } : {};
  return opened(connectTls({ socket, host: to.host, ...name }), "secureConnect", signal);
}

function opened(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket> {
  return new Promise((done, failed) => {
    socket.once(event, () => done(socket));
    socket.on("error", (error) =>
      failed(error instanceof DialError ? error : new DialError("unreachable", codeOf(error))),
    );
    socket.once("close", () => failed(new DialError("lost", "The target closed the connection.")));
    const stop = () => socket.destroy(new DialError("timeout", "The connection timed out."));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
