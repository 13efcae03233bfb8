/**
 * Bounds the connections that have not yet shown a key or a secret, per network (an IPv4 address, an IPv6 /64). At the limit the one that has
 * made least progress is closed for the new one, so that connections which only wait do not lock out a client of the same network.
 */
import type { Socket } from "node:net";
import { networkOf } from "./network-of.ts";

/** How far a connection has got: nothing received, something received, and two steps of its protocol. */
export const STEP = { silent: 0, received: 1, handshakeComplete: 2, connected: 3 } as const;
type Step = (typeof STEP)[keyof typeof STEP];
const STEPS = Object.keys(STEP).length;

interface Unproven {
  network: string;
  step: Step;
  /** Its key is being checked. */
  isInDecision: boolean;
}

export class ConnectionLimit {
  readonly #perNetwork: number;
  /** By network, in the order in which they came to their step. */
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
    const unproven: Unproven = { network, step: STEP.silent, isInDecision: false };
    this.#networks.set(network, peers);
    this.#unproven.set(socket, unproven);
    peers.set(socket, unproven);
    socket.once("close", () => this.prove(socket));
  }

  /** It has come to this step of its protocol. */
  advance(socket: Socket, step: Step): void {
    const unproven = this.#unproven.get(socket);
    if (unproven === undefined || step <= unproven.step) return;
    unproven.step = step;
    const peers = this.#networks.get(unproven.network)!;
    if (peers.delete(socket)) peers.set(socket, unproven);
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
 * The connection that has been at the lowest step for longest. A step that holds less than its share of the connections, a quarter, is passed
 * over: if all others had completed their handshakes, each newcomer would be closed for the next one before its first bytes arrive.
 *
 * @returns null when all of them are in decision
 */
function victimOf(peers: Map<Socket, Unproven>): Socket | null {
  const steps: Socket[][] = Array.from({ length: STEPS }, () => []);
  for (const [socket, unproven] of peers) if (!unproven.isInDecision) steps[stepOf(socket, unproven)]!.push(socket);
  const count = steps.reduce((sum, { length }) => sum + length, 0);
  return steps.find(({ length }) => length > 0 && length * STEPS >= count)?.[0] ?? null;
}

const stepOf = (socket: Socket, { step }: Unproven): Step =>
  step === STEP.silent && socket.bytesRead > 0 ? STEP.received : step;
