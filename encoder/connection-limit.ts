/**
 * Bounds the connections of a listener, and per network (an IPv4 address, an IPv6 /48) those that have not yet shown a key or a secret. At a
 * limit the one that has made least progress is closed for the new one: of the same network, or of the network that holds most of them.
 * Connections that only wait then lock out nobody.
 */
import type { Socket } from "node:net";
import { LARGEST_SITE, networkOf } from "../protocol/network-of.ts";

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

export interface ConnectionBounds {
  /** In all, proven ones included. */
  total: number;
  /** Unproven ones of one network. */
  perNetwork: number;
}

/** For `maxConnections` of a server: Node closes newcomers beyond it unseen, so it only backs the limit up. */
export const backstopOf = (total: number): number => total + 100;

export class ConnectionLimit {
  readonly #bounds: ConnectionBounds;
  readonly #open = new Set<Socket>();
  /** By network, in the order in which they came to their step. */
  readonly #networks = new Map<string, Map<Socket, Unproven>>();
  readonly #unproven = new WeakMap<Socket, Unproven>();

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds;
  }

  /** Counts a connection until it is closed; as unproven until it is proven. Closes one when there are too many. */
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

  /** Of the networks that hold most unproven connections; of any when all of those are in decision. */
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

  /** It does not count as unproven any more. */
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
function victimOf(peers: Iterable<[Socket, Unproven]>): Socket | null {
  const steps: Socket[][] = Array.from({ length: STEPS }, () => []);
  for (const [socket, unproven] of peers) if (!unproven.isInDecision) steps[stepOf(socket, unproven)]!.push(socket);
  const count = steps.reduce((sum, { length }) => sum + length, 0);
  return steps.find(({ length }) => length > 0 && length * STEPS >= count)?.[0] ?? null;
}

const stepOf = (socket: Socket, { step }: Unproven): Step =>
  step === STEP.silent && socket.bytesRead > 0 ? STEP.received : step;
