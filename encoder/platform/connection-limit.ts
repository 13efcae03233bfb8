/**
 * Limits the connections of a listener in total, and unauthenticated ones per network (an IPv4 address, an IPv6 /48). At a limit, a new
 * connection replaces the one with the least progress: of the same network, or of the network with the most connections. Idle connections
 * therefore cannot lock out others.
 */
import type { Socket } from "node:net";
import { LARGEST_SITE, networkOf } from "../../protocol/network-of.ts";

/** Progress of a connection: nothing received, something received, and two steps of its protocol. */
export const STEP = { silent: 0, received: 1, handshakeComplete: 2, connected: 3 } as const;
type Step = (typeof STEP)[keyof typeof STEP];
const STEPS = Object.keys(STEP).length;

interface Unproven {
  network: string;
  step: Step;
  /** Its stream key is being checked. */
  isInDecision: boolean;
}

export interface ConnectionBounds {
  /** Limit of all connections, including proven ones. */
  total: number;
  /** Limit of unproven connections per network. */
  perNetwork: number;
}

/** For a server's `maxConnections`. Node closes connections beyond it without an event, so it only backs up the limit. */
export const backstopOf = (total: number): number => total + 100;

export class ConnectionLimit {
  readonly #bounds: ConnectionBounds;
  readonly #open = new Set<Socket>();
  /** By network, in the order in which they reached their step. */
  readonly #networks = new Map<string, Map<Socket, Unproven>>();
  readonly #unproven = new WeakMap<Socket, Unproven>();

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds;
  }

  /** Counts a connection until it closes, as unproven until `prove`. Closes another one at the limit. */
  add(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? "", LARGEST_SITE);
    const peers = this.#networks.get(network);
    const isFull = peers !== undefined && peers.size >= this.#bounds.perNetwork;
    if (isFull || this.#open.size >= this.#bounds.total) {
      const victim = isFull ? victimOf(peers) : this.#victimOfAll();
      if (victim === null) return void socket.destroy();
      this.#forget(victim);
      victim.destroy();
    }
    const unproven: Unproven = { network, step: STEP.silent, isInDecision: false };
    this.#open.add(socket);
    this.#unproven.set(socket, unproven);
    this.#networks.set(network, (this.#networks.get(network) ?? new Map<Socket, Unproven>()).set(socket, unproven));
    socket.once("close", () => this.#forget(socket));
  }

  /** From the networks with the most unproven connections, or from any network when all of those are in decision. */
  #victimOfAll(): Socket | null {
    const networks = [...this.#networks.values()];
    const most = networks.reduce((max, { size }) => Math.max(max, size), 0);
    const largest = networks.filter(({ size }) => size === most);
    return victimOf(largest.flatMap((peers) => [...peers])) ?? victimOf(networks.flatMap((peers) => [...peers]));
  }

  #forget(socket: Socket): void {
    this.#open.delete(socket);
    this.prove(socket);
  }

  /** Records that the connection has reached this step of its protocol. */
  advance(socket: Socket, step: Step): void {
    const unproven = this.#unproven.get(socket);
    if (unproven === undefined || step <= unproven.step) return;
    unproven.step = step;
    const peers = this.#networks.get(unproven.network)!;
    if (peers.delete(socket)) peers.set(socket, unproven);
  }

  /** Protects the connection while its key is being checked: it still counts but is not replaced. */
  awaitDecision(socket: Socket): void {
    const unproven = this.#unproven.get(socket);
    if (unproven !== undefined) unproven.isInDecision = true;
  }

  /** Stops counting the connection as unproven. */
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
 * The connection that has been at the lowest step for longest. A step with less than its share of the connections, a quarter, is skipped:
 * if all others had completed their handshakes, each new connection would be replaced by the next before its first bytes arrive.
 *
 * @returns null when all of them are in decision
 */
function victimOf(peers: Iterable<[Socket, Unproven]>): Socket | null {
  const steps: Socket[][] = Array.from({ length: STEPS }, () => []);
  for (const [socket, unproven] of peers) if (!unproven.isInDecision) steps[stepOf(socket, unproven)]!.push(socket);
  const count = steps.reduce((sum, { length }) => sum + length, 0);
  return steps.find(({ length }) => length > 0 && length * STEPS >= count)?.[0] ?? null;
}

const stepOf = (socket: Socket, { step }: Unproven): Step =>
  step === STEP.silent && socket.bytesRead > 0 ? STEP.received : step;
