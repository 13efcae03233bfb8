/** The pieces of an uploaded file: objects in R2 that hold its bytes in order. Pure. */

/** `[number, length in bytes]`; the pieces are in the order of their bytes and have no gaps. */
export type PieceList = readonly (readonly [piece: number, bytes: number])[];

/** A byte range inside one piece. */
export interface PieceRange {
  piece: number;
  offset: number;
  length: number;
}

/** The pieces with the position of their first byte in the file, so that a position is found by binary search. */
export interface PlacedPieces {
  pieces: PieceList;
  starts: number[];
  size: number;
}

export function placePieces(pieces: PieceList): PlacedPieces {
  let size = 0;
  const starts = pieces.map(([, bytes]) => {
    size += bytes;
    return size - bytes;
  });
  return { pieces, starts, size };
}

/** The ranges that hold the file's bytes from `offset`; fewer bytes only at the end of the file. */
export function rangesOf({ pieces, starts, size }: PlacedPieces, offset: number, length: number): PieceRange[] {
  const end = Math.min(offset + length, size);
  const ranges: PieceRange[] = [];
  for (let at = offset, index = indexAt(starts, offset); at < end; index += 1) {
    const [piece, bytes] = pieces[index]!;
    const start = at - starts[index]!;
    const taken = Math.min(bytes - start, end - at);
    ranges.push({ piece, offset: start, length: taken });
    at += taken;
  }
  return ranges;
}

/** The last piece that starts at or before the position. */
function indexAt(starts: number[], position: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= position) low = middle;
    else high = middle;
  }
  return low;
}
