import { readFileSync } from "node:fs";
import type { RangeReader } from "../../../src/media/mp4/range-reader.ts";

export const clip = (name: "flower" | "friday") =>
  new Uint8Array(readFileSync(`${import.meta.dirname}/../../fixtures/${name}.mp4`));

/** A reader over bytes that counts what is asked of it. */
export function readerOf(bytes: Uint8Array, size: number | null = bytes.length) {
  const reads: { offset: number; length: number }[] = [];
  const reader: RangeReader = {
    size,
    read: (offset, length) => {
      reads.push({ offset, length });
      return Promise.resolve(bytes.slice(offset, offset + length));
    },
  };
  return { reader, reads };
}

/** Where the first box of this type lies: at a nesting of any depth, found by its name. */
export function boxAt(bytes: Uint8Array, type: string, nth = 0): { start: number; size: number } {
  const name = new TextEncoder().encode(type);
  let found = -1;
  for (let at = 4; at + 4 <= bytes.length; at++) {
    if (name.every((byte, n) => bytes[at + n] === byte) && ++found === nth) {
      const start = at - 4;
      return { start, size: new DataView(bytes.buffer, bytes.byteOffset).getUint32(start) };
    }
  }
  throw new Error(`no box ${type}`);
}

/** A copy in which a number of four bytes inside of a box is another. */
export function patched(bytes: Uint8Array, type: string, offsetInBox: number, value: number, nth = 0): Uint8Array {
  const copy = bytes.slice();
  new DataView(copy.buffer).setUint32(boxAt(copy, type, nth).start + offsetInBox, value >>> 0);
  return copy;
}

/** The same file with its index at the end, `padding` bytes of free space before it. */
export function withMoovAtEnd(bytes: Uint8Array, padding = 0): Uint8Array {
  const { start, size } = boxAt(bytes, "moov");
  const moov = bytes.slice(start, start + size);
  const view = new DataView(moov.buffer);
  for (const [type, width] of [
    ["stco", 4],
    ["co64", 8],
  ] as const) {
    for (let nth = 0; ; nth++) {
      let box;
      try {
        box = boxAt(moov, type, nth);
      } catch {
        break;
      }
      for (let entry = 0; entry < view.getUint32(box.start + 12); entry++) {
        const at = box.start + 16 + entry * width + (width - 4);
        view.setUint32(at, view.getUint32(at) - size);
      }
    }
  }
  const free = new Uint8Array(padding);
  if (padding >= 8) {
    new DataView(free.buffer).setUint32(0, padding);
    free.set(new TextEncoder().encode("free"), 4);
  }
  return concat([bytes.slice(0, start), bytes.slice(start + size), free, moov]);
}

export function concat(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * The same file with its index at the end, in which the last frame of a track is shortened to this many ticks, as muxers do where the sound
 * ends within a frame. The track's frames have one duration until then.
 */
export function withShortLastFrame(source: Uint8Array, track: number, lastTicks: number): Uint8Array {
  const bytes = withMoovAtEnd(source);
  const { start, size } = boxAt(bytes, "stts", track);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const entry = new Uint8Array(8);
  new DataView(entry.buffer).setUint32(0, 1);
  new DataView(entry.buffer).setUint32(4, lastTicks);
  for (const [type, nth] of [
    ["moov", 0],
    ...["trak", "mdia", "minf", "stbl", "stts"].map((type) => [type, track] as const),
  ] as const) {
    const box = boxAt(bytes, type, nth);
    view.setUint32(box.start, box.size + entry.length);
  }
  view.setUint32(start + 12, 2);
  view.setUint32(start + 16, view.getUint32(start + 16) - 1);
  const end = start + size;
  const longer = new Uint8Array(bytes.length + entry.length);
  longer.set(bytes.subarray(0, end));
  longer.set(entry, end);
  longer.set(bytes.subarray(end), end + entry.length);
  return longer;
}

/** The same film with a copy of its first track behind its others, changed by `change`. The index is at the end. */
export function withTrackLike(source: Uint8Array, change: (trak: Uint8Array) => Uint8Array): Uint8Array {
  const bytes = withMoovAtEnd(source);
  const { start, size } = boxAt(bytes, "trak");
  const trak = change(bytes.slice(start, start + size));
  const longer = concat([bytes, trak]);
  const moov = boxAt(longer, "moov");
  new DataView(longer.buffer).setUint32(moov.start, moov.size + trak.length);
  return longer;
}
