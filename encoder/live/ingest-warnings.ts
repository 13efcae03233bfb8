/** What goes wrong with a broadcast, for its owner: one entry for each kind of trouble, with its number of occurrences. Pure. */
import { type IngestWarning, type IngestWarningCode, MAX_INGEST_WARNINGS } from "../../protocol/ingest-warning.ts";

const MESSAGE_CHARACTERS = 256;

export class IngestWarnings {
  readonly #list = new Map<string, IngestWarning>();
  #hasChanged = false;

  /** Further kinds than the protocol has room for are left out. @param atMs epoch ms */
  add(code: IngestWarningCode, message: string, atMs: number, count = 1): void {
    const key = `${code} ${message}`;
    const known = this.#list.get(key);
    if (known === undefined && this.#list.size >= MAX_INGEST_WARNINGS) return;
    const text = message.slice(0, MESSAGE_CHARACTERS);
    this.#list.set(key, { code, message: text, since: known?.since ?? atMs, count: (known?.count ?? 0) + count });
    this.#hasChanged = true;
  }

  /** The whole list if it has changed since the last call, and null otherwise. */
  takeChanged(): IngestWarning[] | null {
    if (!this.#hasChanged) return null;
    this.#hasChanged = false;
    return [...this.#list.values()];
  }
}
