import type { ListItem } from "../sources/list-item.ts";
import { IdIndex } from "./id-index.ts";

/** Rows and bytes of a page: what one answer of a source would have, and what an object can hold in memory. */
const ROWS_PER_PAGE = 1000;
const BYTES_PER_PAGE = 4_000_000;

const encoder = new TextEncoder();

/** Gathers rows to pages of NDJSON, of which one is in memory at a time. */
export class PageWriter {
  readonly #put: (page: number, text: Uint8Array) => Promise<void>;
  readonly #ids = new IdIndex();
  #lines: Uint8Array[] = [];
  #bytes = 0;
  rows = 0;
  pages = 0;

  /** @param put stores a page; pages count from 0 */
  constructor(put: (page: number, text: Uint8Array) => Promise<void>) {
    this.#put = put;
  }

  async add(item: ListItem): Promise<void> {
    const line = encoder.encode(`${JSON.stringify(item)}\n`);
    if (this.#lines.length === ROWS_PER_PAGE || this.#bytes + line.byteLength > BYTES_PER_PAGE) await this.#flush();
    this.#lines.push(line);
    this.#bytes += line.byteLength;
    this.#ids.add(item.id, this.pages);
    this.rows += 1;
  }

  /** @returns the index of ids */
  async end(): Promise<Uint8Array> {
    if (this.#lines.length > 0) await this.#flush();
    return this.#ids.bytes();
  }

  async #flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const page = new Uint8Array(this.#bytes);
    let at = 0;
    for (const line of this.#lines) {
      page.set(line, at);
      at += line.byteLength;
    }
    this.#lines = [];
    this.#bytes = 0;
    await this.#put(this.pages, page);
    this.pages += 1;
  }
}
