/**
 * On which pages of a list an id may be, without reading the list: pairs of a hash and a page, sorted by the hash, in 8 bytes each. The hashes are
 * spread evenly, so that a short range of the file has those of an id. Pure.
 */

const BYTES_PER_ENTRY = 8;
/** Entries of one read, 32 KB. Of 500,000 hashes, each is within 2,048 entries of its expected place: that is more than five standard deviations. */
const ENTRIES_PER_READ = 4096;
const HASHES = 2 ** 32;
const PAGES = 2 ** 16;

/** Gathers the ids of a list while it is written. 500,000 take 4 MB. */
export class IdIndex {
  readonly #entries: number[] = [];

  /** @param page below 65,536 */
  add(id: string, page: number): void {
    this.#entries.push(hashOf(id) * PAGES + page);
  }

  bytes(): Uint8Array {
    return new Uint8Array(new Float64Array(this.#entries).sort().buffer);
  }
}

/** The bytes of an index that are read for an id. @param entries in the index, more than 0 */
export function rangeOf(id: string, entries: number): { offset: number; length: number } {
  const expected = Math.floor((hashOf(id) / HASHES) * entries);
  const first = Math.max(0, Math.min(expected - ENTRIES_PER_READ / 2, entries - ENTRIES_PER_READ));
  const count = Math.min(ENTRIES_PER_READ, entries - first);
  return { offset: first * BYTES_PER_ENTRY, length: count * BYTES_PER_ENTRY };
}

/** The pages that may have an id, in their order. @param bytes those of `rangeOf` */
export function pagesOf(id: string, bytes: ArrayBuffer): number[] {
  const hash = hashOf(id);
  const found = [...new Float64Array(bytes)].filter((entry) => Math.floor(entry / PAGES) === hash);
  return [...new Set(found.map((entry) => entry % PAGES))];
}

/** FNV-1a of the UTF-16 code units, with a final mix (MurmurHash3's), so that like ids are spread too. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) {
    hash = Math.imul(hash ^ (id.charCodeAt(at) & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (id.charCodeAt(at) >> 8), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
