/**
 * Reads the index of the source at argv[3] as the Worker does, after a small one at argv[2], and prints the most memory
 * that was in use at the start or end of a read. With argv[4], an index up to that many bytes is read into one buffer.
 */
import { indexSource } from "../../../src/media/mp4/index-source.ts";
import { openHttpSource } from "../../../src/library/sources/http-range-reader.ts";
import type { RangeReader } from "../../../src/media/mp4/range-reader.ts";

const env = { ALLOW_PRIVATE_NETWORK: "true", MAX_SOURCE_BYTES: String(2 ** 50) };
const [, , smallUrl = "", largeUrl = "", maxBuffered] = process.argv;
const memory = maxBuffered === undefined ? {} : { maxBufferedBytes: Number(maxBuffered) };

/** What is referenced, on the heap and in buffers outside of it. */
function liveBytes(): number {
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

let peakBytes = 0;
let reads = 0;
const sample = () => {
  peakBytes = Math.max(peakBytes, liveBytes());
};

async function openSampled(url: string): Promise<RangeReader> {
  const source = await openHttpSource(env, url);
  const sampled = async <T>(read: () => Promise<T>): Promise<T> => {
    reads += 1;
    sample();
    const result = await read();
    sample();
    return result;
  };
  return {
    size: source.size,
    read: (offset, length) => sampled(() => source.read(offset, length)),
    readInto: (offset, target) => sampled(() => source.readInto!(offset, target)),
  };
}

async function index(url: string) {
  const source = await indexSource(await openSampled(url), { memory });
  sample();
  if (!source.standard) throw new Error(source.reason);
  return source.indexes.reduce((sum, { pieces }) => sum + pieces.reduce((all, { length }) => all + length, 0), 0);
}

for (let n = 0; n < 20; n++) await index(smallUrl);
const before = liveBytes();
[peakBytes, reads] = [before, 0];
const indexBytes = await index(largeUrl);
console.log(JSON.stringify({ peakBytes: peakBytes - before, indexBytes, reads }));
