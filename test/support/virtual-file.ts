/** Files of any size whose bytes are a function of their position, so that both ends can compute them. */

/** The pattern repeats after this many bytes, which no block size divides. */
const PERIOD_BYTES = 1009 * 251;

/** The byte at a position of a virtual file. */
const virtualByte = (position: number): number => ((position % 1009) * 7 + (position % 251)) & 0xff;

const period = Uint8Array.from({ length: PERIOD_BYTES }, (_, position) => virtualByte(position));

export function fillVirtual(bytes: Uint8Array, offset: number): void {
  for (let filled = 0; filled < bytes.byteLength;) {
    const start = (offset + filled) % PERIOD_BYTES;
    const run = period.subarray(start, start + bytes.byteLength - filled);
    bytes.set(run, filled);
    filled += run.byteLength;
  }
}

/** The first position at which bytes differ from a virtual file; null when they are equal. */
export function firstDifference(bytes: Uint8Array, offset = 0): number | null {
  let phase = offset % PERIOD_BYTES;
  for (let i = 0; i < bytes.byteLength; i++) {
    if (bytes[i] !== period[phase]) return offset + i;
    if (++phase === PERIOD_BYTES) phase = 0;
  }
  return null;
}
