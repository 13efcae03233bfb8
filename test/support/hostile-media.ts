/** Bytes that no honest program writes. */
/** The same bytes each time: a linear congruential generator. */
export function noise(bytes: number): Buffer {
  let state = 12_345;
  return Buffer.from(Array.from({ length: bytes }, () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) >>> 16));
}

export function boxBomb(depth: number): Buffer {
  const ftyp = Buffer.from("\0\0\0\u0010ftypisom\0\0\0\0", "latin1");
  const boxes = Buffer.alloc(depth * 8);
  for (let i = 0; i < depth; i++) {
    boxes.writeUInt32BE((depth - i) * 8, i * 8);
    boxes.write(i === 0 ? "moov" : "trak", i * 8 + 4, "latin1");
  }
  return Buffer.concat([ftyp, boxes]);
}

/** Overwrites the 32 bits at `offset` bytes after the version and flags of the first box of a type. */
export function claim(file: Buffer, type: string, offset: number, value: number): Buffer {
  const changed = Buffer.from(file);
  changed.writeUInt32BE(value, changed.indexOf(type, 0, "latin1") + 4 + offset);
  return changed;
}

/** An AVI whose headers, and those of its stream, give another size; MJPEG, so that the size is not corrected by the codec's own. */
export function hugeAvi(plain: Buffer, edgePx: number): Buffer {
  const file = Buffer.from(plain);
  const main = file.indexOf("avih", 0, "latin1") + 8;
  for (const at of [main + 32, main + 36]) file.writeUInt32LE(edgePx, at);
  const format = file.indexOf("strf", 0, "latin1") + 8;
  for (const at of [format + 4, format + 8]) file.writeUInt32LE(edgePx, at);
  return file;
}

/** Repeats the first track. */
export function manyTracks(file: Buffer, count: number): Buffer {
  const moovAt = file.indexOf("moov", 0, "latin1") - 4;
  const trakAt = file.indexOf("trak", 0, "latin1") - 4;
  const trak = file.subarray(trakAt, trakAt + file.readUInt32BE(trakAt));
  const moovBytes = file.readUInt32BE(moovAt);
  const copies = Buffer.concat(Array.from({ length: count }, () => trak));
  const moov = Buffer.concat([file.subarray(moovAt, moovAt + moovBytes), copies]);
  moov.writeUInt32BE(moov.length, 0);
  return Buffer.concat([file.subarray(0, moovAt), moov, file.subarray(moovAt + moovBytes)]);
}

/** A Matroska file with another duration in its header, in ms. */
export function claimLength(file: Buffer, ms: number): Buffer {
  const changed = Buffer.from(file);
  const duration = Buffer.from([0x44, 0x89, 0x88]); // a float of 8 bytes
  changed.writeDoubleBE(ms, changed.indexOf(duration) + duration.length);
  return changed;
}

/** Every entry of the SeekHead refers to the SeekHead. */
export function loopingMatroska(file: Buffer): Buffer {
  const changed = Buffer.from(file);
  const seekPosition = Buffer.from([0x53, 0xac]);
  for (let at = changed.indexOf(seekPosition); at >= 0 && at < 4096; at = changed.indexOf(seekPosition, at + 2)) {
    const bytes = changed[at + 2]! & 0x0f;
    changed.fill(0, at + 3, at + 3 + bytes);
  }
  return changed;
}
