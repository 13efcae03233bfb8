/**
 * Bounds the connections that have not yet shown a key or a secret, per remote address. At the limit the oldest of the address that still
 * owes its first request is closed for the new one, so a flood does not lock out an honest client behind the same address.
 */
import { networkOf } from "./network-of.ts";
import type { Socket } from "node:net";

export class ConnectionLimit {
  readonly #perAddress: number;
  /** By network and port, in the order in which they came. */
  readonly #unproven = new Map<string, Map<number, { socket: Socket; isIdle: boolean }>>();

  constructor(perAddress: number) {
    this.#perAddress = perAddress;
  }

  /** Counts a connection until it is closed or proven. Closes one when there are too many. */
  add(socket: Socket): void {
    const { network, port } = peerOf(socket);
    const peers = this.#unproven.get(network) ?? new Map<number, { socket: Socket; isIdle: boolean }>();
    if (peers.size >= this.#perAddress) {
      const oldest = [...peers].find(([, { isIdle }]) => isIdle);
      if (oldest === undefined) return void socket.destroy();
      peers.delete(oldest[0]);
      oldest[1].socket.destroy();
    }
    this.#unproven.set(network, peers);
    peers.set(port, { socket, isIdle: true });
    socket.once("close", () => this.#remove(network, port));
  }

  /** It has asked for something and waits for the decision: it still counts, and is not closed for a newer one. */
  keep(socket: Socket): void {
    const { network, port } = peerOf(socket);
    const peer = this.#unproven.get(network)?.get(port);
    if (peer !== undefined) peer.isIdle = false;
  }

  /** It does not count any more. @param socket the one that was added, or the TLS socket over it */
  prove(socket: Socket): void {
    const { network, port } = peerOf(socket);
    this.#remove(network, port);
  }

  #remove(network: string, port: number): void {
    const peers = this.#unproven.get(network);
    peers?.delete(port);
    if (peers?.size === 0) this.#unproven.delete(network);
  }
}

const peerOf = ({ remoteAddress = "", remotePort = 0 }: Socket) => ({
  network: networkOf(remoteAddress),
  port: remotePort,
});
