/**
 * Looks at key frames themselves. A file with intra refresh lists pictures as key frames from which decoding recovers within a second, and others list
 * recovery points: players cannot begin a segment there.
 */
import type { RangeReader } from "./range-reader.ts";
import type { SampleColumns } from "./fragment.ts";
import { standardOnlyIf } from "./not-standard.ts";

/** Where a key frame lies in the file. */
export interface KeyPlace {
  offset: number;
  size: number;
  /** One of the first ones, which are in the file before the first segment ends. */
  isEarly: boolean;
}

export interface KeyFrames {
  /** Some key frames, in the order of the file. */
  places: KeyPlace[];
  /** Length of the numbers in front of NAL units, in bytes. */
  lengthBytes: number;
}

/** The first segment ends with the second one at the earliest. */
const EARLY_KEYS = 2;

/**
 * Chooses a few key frames while the samples of a track are read: the first ones, two in the middle, because recovery points may alternate with real
 * key frames, the last one, and the smallest one behind the first.
 */
export class ChosenKeys {
  private readonly keyFrames: ArrayLike<number>;
  private readonly chosen: Set<number>;
  private readonly found = new Map<number, KeyPlace>();
  private smallest: { sample: number; size: number } | null = null;

  /** @param keyFrames sample numbers of the key frames, ascending */
  constructor(keyFrames: ArrayLike<number>) {
    const middle = Math.floor(keyFrames.length / 2);
    const positions = [0, 1, 2, middle, middle + 1, keyFrames.length - 1];
    this.keyFrames = keyFrames;
    this.chosen = new Set(positions.filter((at) => at < keyFrames.length).map((at) => keyFrames[at]!));
  }

  /** @param firstSample the number of the first one of the samples */
  take({ count, isKey, offsets, sizes }: SampleColumns, firstSample: number): void {
    for (let row = 0; row < count; row++) {
      if (isKey[row] !== 1) continue;
      const sample = firstSample + row;
      const size = sizes[row]!;
      const isSmallest = sample !== this.keyFrames[0] && size < (this.smallest?.size ?? Infinity);
      if (!isSmallest && !this.chosen.has(sample)) continue;
      if (isSmallest) {
        if (this.smallest !== null && !this.chosen.has(this.smallest.sample)) this.found.delete(this.smallest.sample);
        this.smallest = { sample, size };
      }
      const isEarly = sample <= (this.keyFrames[EARLY_KEYS - 1] ?? 0);
      this.found.set(sample, { offset: offsets[row]!, size, isEarly });
    }
  }

  /** In the order of decoding. */
  places(): KeyPlace[] {
    return [...this.found].toSorted(([a], [b]) => a - b).map(([, place]) => place);
  }
}

/** Enough of an access unit for its first slice, behind a delimiter, parameter sets and short messages. */
const LOOK_BYTES = 256;
/** Messages in front of a slice may be long, and each costs a read. */
const MAX_READS_PER_KEY = 4;
const [SLICE, PARTITION, IDR] = [1, 2, 5];

export const FALSE_KEYS = "key frames that depend on others";

/** @returns the key frames that are not within the first bytes of the file @throws {NotStandard} when one that is there is none */
export function keysBehindHead({ places, lengthBytes }: KeyFrames, head: Uint8Array): KeyFrames {
  const unseen = places.filter(({ offset, size }) => {
    const seen = sliceOf(head.subarray(offset, offset + size), { lengthBytes, size });
    standardOnlyIf(seen.type !== "other", FALSE_KEYS);
    return seen.type === "beyond" && seen.at < size;
  });
  return { places: unseen, lengthBytes };
}

/**
 * Reads the beginnings of key frames, at the same time.
 *
 * @param arrivedBytes of a file that is still coming in; later key frames are not waited for, apart from the early ones
 * @returns whether all of them are key frames, as far as they can be read
 */
export async function areKeyFrames(
  reader: RangeReader,
  { places, lengthBytes }: KeyFrames,
  arrivedBytes = Infinity,
): Promise<boolean> {
  const awaited = places.filter(({ offset, isEarly }) => isEarly || offset + LOOK_BYTES <= arrivedBytes);
  const kinds = await Promise.all(awaited.map((place) => kindOf(reader, place, lengthBytes)));
  return !kinds.includes("other");
}

async function kindOf(reader: RangeReader, { offset, size }: KeyPlace, lengthBytes: number) {
  for (let [at, reads] = [0, 0]; at < size && reads < MAX_READS_PER_KEY; reads++) {
    const bytes = await readPart(reader, offset + at, Math.min(LOOK_BYTES, size - at));
    const seen = sliceOf(bytes, { lengthBytes, size: size - at });
    if (seen.type !== "beyond" || bytes.length <= lengthBytes) return seen.type;
    at += seen.at;
  }
  return "beyond";
}

async function readPart(reader: RangeReader, offset: number, length: number): Promise<Uint8Array> {
  if (reader.readInto === undefined || offset + length <= (reader.fetchedBytes ?? 0))
    return await reader.read(offset, length);
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, await reader.readInto(offset, bytes));
}

/**
 * The type of the first slice of an access unit. "beyond": it is not in these bytes, and the unit that may be one begins at `at`. "unknown": they are
 * damaged, which is no reason to refuse a source.
 */
function sliceOf(
  bytes: Uint8Array,
  { lengthBytes, size }: { lengthBytes: number; size: number },
): { type: "idr" | "other" | "beyond" | "unknown"; at: number } {
  let at = 0;
  while (at + lengthBytes < bytes.length) {
    let length = 0;
    for (let n = 0; n < lengthBytes; n++) length = length * 256 + bytes[at + n]!;
    const type = bytes[at + lengthBytes]! & 31;
    if (length === 0 || at + lengthBytes + length > size) return { type: "unknown", at };
    if (type === IDR) return { type: "idr", at };
    if (type >= SLICE && type <= PARTITION) return { type: "other", at };
    at += lengthBytes + length;
  }
  return { type: "beyond", at };
}
