/**
 * Bounds the connections that have not yet shown a key or a secret, per network (an IPv4 address, an IPv6 /64). At the limit the one that has
 * made least progress is closed for the new one, so that connections which only wait do not lock out a client of the same network.
 */
import type { Socket } from "node:net";
import { networkOf } from "./network-of.ts";

/** Progress of a connection before its decision: nothing received, something received, handshake complete. */
const STEPS = 3;

interface Unproven {
  network: string;
  isHandshakeComplete: boolean;
  /** Its key is being checked. */
  isInDecision: boolean;
}

export class ConnectionLimit {
  readonly #perNetwork: number;
  /** By network, oldest first. */
  readonly #networks = new Map<string, Map<Socket, Unproven>>();
  readonly #unproven = new WeakMap<Socket, Unproven>();

  constructor(perNetwork: number) {
    this.#perNetwork = perNetwork;
  }

  /** Counts a connection until it is closed or proven. Closes one when there are too many. */
  add(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? "");
    const peers = this.#networks.get(network) ?? new Map<Socket, Unproven>();
    if (peers.size >= this.#perNetwork) {
      const victim = victimOf(peers);
      if (victim === null) return void socket.destroy();
      peers.delete(victim);
      victim.destroy();
    }
    const unproven = { network, isHandshakeComplete: false, isInDecision: false };
    this.#networks.set(network, peers);
    this.#unproven.set(socket, unproven);
    peers.set(socket, unproven);
    socket.once("close", () => this.prove(socket));
  }

  /** The handshake of its protocol is complete. */
  completeHandshake(socket: Socket): void {
    const unproven = this.#unproven.get(socket);
    if (unproven !== undefined) unproven.isHandshakeComplete = true;
  }

  /** Its key is being checked: it still counts, and is not closed for a newer one. */
  awaitDecision(socket: Socket): void {
    const unproven = this.#unproven.get(socket);
    if (unproven !== undefined) unproven.isInDecision = true;
  }

  /** It does not count any more. */
  prove(socket: Socket): void {
    const unproven = this.#unproven.get(socket);
    if (unproven === undefined) return;
    this.#unproven.delete(socket);
    const peers = this.#networks.get(unproven.network);
    peers?.delete(socket);
    if (peers?.size === 0) this.#networks.delete(unproven.network);
  }
}

/**
 * The oldest connection of the least progress. A step that holds less than a third of the connections is passed over: a network full of
 * complete handshakes would otherwise close each newcomer for the next one, before its first bytes arrive.
 *
 * @returns null when all of them are in decision
 */
function victimOf(peers: Map<Socket, Unproven>): Socket | null {
  const steps: Socket[][] = Array.from({ length: STEPS }, () => []);
  for (const [socket, unproven] of peers) if (!unproven.isInDecision) steps[stepOf(socket, unproven)]!.push(socket);
  const count = steps.reduce((sum, { length }) => sum + length, 0);
  return steps.find(({ length }) => length > 0 && length * STEPS >= count)?.[0] ?? null;
}

const stepOf = (socket: Socket, { isHandshakeComplete }: Unproven): number =>
  isHandshakeComplete ? 2 : Number(socket.bytesRead > 0);
