/** What Cloudflare bills for indexing: rows that are written, as the runtime counts them. It does not count the tables within FTS5. */
import { expect, test } from "vitest";
import { CueIndex } from "../../../../src/ai/search/cue-index.ts";
import { CountedStorage } from "../../counted-storage.ts";
import { withStorage } from "../../platform/machine/storage.ts";

const CAPTIONS = 1000;
const cues = Array.from({ length: CAPTIONS }, (_, n) => ({
  startMs: n * 3000,
  endMs: n * 3000 + 2500,
  text: `Caption ${n} says that the harbour lies still ${n % 7} hours before dawn.`,
}));

test("a caption takes two rows when it is indexed and two when it is removed, and its track three", () =>
  withStorage((storage) => {
    let rows = 0;
    const counted = new CountedStorage(storage, (_, written) => void (rows += written));
    const index = new CueIndex(counted as unknown as DurableObjectStorage);
    rows = 0;
    index.put({ mediaId: "m", trackId: "t", version: 1, mediaCreatedMs: 1 }, cues, 0);
    const indexing = rows;
    rows = 0;
    index.removeExcept("m", new Set());
    // The document, its entry of an index, and the totals. Removed entries of indexes are not counted.
    expect({ indexing, removing: rows }).toEqual({ indexing: 2 * CAPTIONS + 3, removing: 2 * CAPTIONS + 2 });
  }));
