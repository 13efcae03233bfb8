import { boxHeader } from "../mp4/boxes.ts";

/** What the fragments of a segment become in the file. */
export interface Target {
  /** Null = stays. */
  trackId: number | null;
  /** Added to the decode times. */
  shiftTicks: number;
}

/** Gives the fragments of a whole media segment another track id and other decode times, in place. */
export function retargetSegment(segment: Uint8Array, { trackId, shiftTicks }: Target): void {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  const visit = (start: number, end: number): void => {
    for (let at = start; at + 8 <= end;) {
      const { type, size, headerBytes } = boxHeader(view, at);
      if (size < headerBytes || at + size > end) throw new Error(`a damaged '${type}' box in a segment`);
      const content = at + headerBytes;
      if (type === "moof" || type === "traf") visit(content, at + size);
      else if (type === "tfhd" && trackId !== null) view.setUint32(content + 4, trackId);
      else if (type === "tfdt") shift(view, content, shiftTicks);
      at += size;
    }
  };
  visit(0, segment.length);
}

function shift(view: DataView, content: number, ticks: number): void {
  if (view.getUint8(content) === 1) {
    const time = view.getBigUint64(content + 4) + BigInt(ticks);
    view.setBigUint64(content + 4, time < 0n ? 0n : time);
  } else view.setUint32(content + 4, Math.max(0, view.getUint32(content + 4) + ticks));
}
