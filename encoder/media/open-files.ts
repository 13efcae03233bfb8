/** Files stay open with their buffers, so one job keeps no more of them. */
const MAX_OPEN = 3;

/**
 * Files that a job reads range by range. One that is open keeps what its demuxer has learnt of it: without that, each range of a file without an index
 * would read it from its start. Those used last stay open.
 */
export class OpenFiles<Opened> {
  readonly #open: (file: number) => Promise<Opened>;
  readonly #close: (opened: Opened) => Promise<unknown>;
  readonly #files = new Map<number, Opened>(); // in order of last use

  constructor(open: (file: number) => Promise<Opened>, close: (opened: Opened) => Promise<unknown>) {
    this.#open = open;
    this.#close = close;
  }

  async get(file: number): Promise<Opened> {
    const opened = this.#files.get(file) ?? (await this.#open(file));
    this.#files.delete(file);
    this.#files.set(file, opened);
    if (this.#files.size > MAX_OPEN) {
      const [oldest, ofOldest] = this.#files.entries().next().value!;
      this.#files.delete(oldest);
      await this.#close(ofOldest);
    }
    return opened;
  }

  async close(): Promise<void> {
    for (const opened of this.#files.values()) await this.#close(opened);
    this.#files.clear();
  }
}
