/** A read-through LRU cache of fixed-size blocks. Concurrent readers share the fetch of a block. */
export interface BlockCache {
  /** @param size of the whole file, where the last block ends; `offset + length` must not exceed it */
  read(offset: number, length: number, size: number): Promise<Uint8Array>;
}

/**
 * @param fetchBytes returns exactly `length` bytes; called once for each sequence of missing blocks
 * @param cacheBytes capacity; the least recently used blocks are evicted first
 */
export function createBlockCache(
  blockBytes: number,
  cacheBytes: number,
  fetchBytes: (offset: number, length: number) => Promise<Uint8Array>,
): BlockCache {
  // Ordered by last use: a Map iterates its keys in insertion order.
  const blocks = new Map<number, Promise<Uint8Array>>();
  const maxBlocks = Math.max(1, Math.floor(cacheBytes / blockBytes));

  function fetchBlocks(first: number, last: number, size: number): void {
    const offset = first * blockBytes;
    const fetched = fetchBytes(offset, Math.min((last + 1) * blockBytes, size) - offset);
    for (let index = first; index <= last; index++) {
      const start = (index - first) * blockBytes;
      // A copy: a view would keep the whole response in memory as long as one of its blocks.
      const block = fetched.then((bytes) => bytes.slice(start, start + blockBytes));
      blocks.set(index, block);
      block.catch(() => blocks.delete(index)); // The next reader tries again.
    }
  }

  function fetchMissing(first: number, last: number, size: number): void {
    let start = first;
    for (let index = first; index <= last + 1; index++) {
      if (index <= last && !blocks.has(index)) continue;
      if (index > start) fetchBlocks(start, index - 1, size);
      start = index + 1;
    }
  }

  function use(index: number): Promise<Uint8Array> {
    const block = blocks.get(index)!;
    blocks.delete(index);
    blocks.set(index, block);
    return block;
  }

  return {
    async read(offset, length, size) {
      const first = Math.floor(offset / blockBytes);
      const last = Math.floor((offset + length - 1) / blockBytes);
      fetchMissing(first, last, size);
      const wanted = Array.from({ length: last - first + 1 }, (_, i) => use(first + i));
      for (const index of blocks.keys()) {
        if (blocks.size <= maxBlocks) break;
        blocks.delete(index);
      }
      return join(await Promise.all(wanted), offset - first * blockBytes, length);
    },
  };
}

/** `length` bytes from `skip` bytes after the start of the first block. */
function join(blocks: Uint8Array[], skip: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let position = -skip;
  for (const block of blocks) {
    const from = Math.max(0, -position);
    const to = Math.min(block.byteLength, length - position);
    if (to > from) bytes.set(block.subarray(from, to), position + from);
    position += block.byteLength;
  }
  return bytes;
}
