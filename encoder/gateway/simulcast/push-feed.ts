/** Feeds one push process: the container's head, then the broadcast from an entry point. Buffers while the connection is being made. */
import type { ChildProcess } from "node:child_process";
import type { Unit } from "../source/container-units.ts";

/** A child with more unread bytes is stuck and is killed. Also limits the backlog while connecting. */
const MAX_UNREAD_BYTES = 16 << 20;

export class PushFeed {
  readonly #head: () => Buffer[];
  #child: ChildProcess | null = null;
  /** Bytes buffered for the child while connecting; null otherwise. */
  #backlog: Buffer[] | null = null;
  #backlogBytes = 0;
  /** The head and an entry point have been written. */
  #hasBegun = false;

  /** @param head of the container, for a reader that starts midway */
  constructor(head: () => Buffer[]) {
    this.#head = head;
  }

  /** Buffers for the next child. */
  open(): void {
    this.#backlog = [];
    this.#backlogBytes = 0;
    this.#hasBegun = false;
  }

  /** Writes the buffered units and all following ones to this child. */
  attach(child: ChildProcess): void {
    const backlog = this.#backlog ?? [];
    this.#backlog = null;
    this.#child = child;
    for (const bytes of backlog) this.#write(bytes);
  }

  /** Discards all units until the next `open`. */
  close(): void {
    this.#child = null;
    this.#backlog = null;
  }

  push(unit: Unit): void {
    if (this.#child === null && this.#backlog === null) return;
    if (!this.#hasBegun) {
      if (!unit.isEntry) return;
      this.#hasBegun = true;
      for (const bytes of this.#head()) this.#write(bytes);
    }
    this.#write(unit.bytes);
  }

  #write(bytes: Buffer): void {
    const stdin = this.#child?.stdin;
    if (stdin != null) {
      if (stdin.destroyed) return;
      stdin.write(bytes);
      if (stdin.writableLength > MAX_UNREAD_BYTES) this.#child?.kill("SIGKILL");
    } else if (this.#backlog !== null) {
      this.#backlog.push(bytes);
      this.#backlogBytes += bytes.length;
      if (this.#backlogBytes > MAX_UNREAD_BYTES) this.open(); // start at a later entry point
    }
  }
}
