/** Minimal CMAF with the properties that a checker reads: tracks, times, sync samples. It is not decodable. */

const bytes = (...values: number[]) => Uint8Array.from(values);
const u32 = (value: number) => bytes((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
const u64 = (value: number) => join(u32(Math.floor(value / 2 ** 32)), u32(value % 2 ** 32));
const ascii = (text: string) => new TextEncoder().encode(text);
const zeros = (count: number) => new Uint8Array(count);

export function join(...chunks: Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

function box(type: string, ...content: Uint8Array[]): Uint8Array {
  const body = join(...content);
  return join(u32(body.length + 8), ascii(type), body);
}

const fullBox = (type: string, version: number, flags: number, ...content: Uint8Array[]) =>
  box(type, u32(version * 2 ** 24 + flags), ...content);

export const TIMESCALE = 48_000;
const SYNC = 0x0200_0000;
const NON_SYNC = 0x0101_0000;

/** @param level of H.264 times ten */
export function initSegment(handler: "vide" | "soun", level: number): Uint8Array {
  const tkhd = fullBox("tkhd", 0, 3, zeros(8), u32(1), zeros(68));
  const mdhd = fullBox("mdhd", 0, 0, zeros(8), u32(TIMESCALE), zeros(8));
  const hdlr = fullBox("hdlr", 0, 0, zeros(4), ascii(handler), zeros(13));
  const avcC = box("avcC", bytes(1, 0x64, 0, level, 0xff, 0xe0, 0));
  const entry = handler === "vide" ? box("avc1", zeros(78), avcC) : box("mp4a", zeros(28));
  const minf = box("minf", box("stbl", fullBox("stsd", 0, 0, u32(1), entry)));
  const trex = fullBox("trex", 0, 0, u32(1), u32(1), zeros(8), u32(handler === "vide" ? NON_SYNC : SYNC));
  return join(
    box("ftyp", ascii("cmf2"), zeros(4), ascii("cmf2")),
    box("moov", box("trak", tkhd, box("mdia", mdhd, hdlr, minf)), box("mvex", trex)),
  );
}

export interface Chunk {
  startTicks: number;
  durationTicks: number;
  sampleCount: number;
  beginsWithSync: boolean;
  /** Makes the bytes of this chunk unique. */
  seed: string;
}

export function chunk({ startTicks, durationTicks, sampleCount, beginsWithSync, seed }: Chunk): Uint8Array {
  const tfhd = fullBox("tfhd", 0, 0x02_0000, u32(1));
  const tfdt = fullBox("tfdt", 1, 0, u64(startTicks));
  const samples = Array.from({ length: sampleCount }, () => join(u32(durationTicks / sampleCount), u32(16)));
  const first = u32(beginsWithSync ? SYNC : NON_SYNC);
  const trun = fullBox("trun", 0, 0x0305, u32(sampleCount), u32(0), first, ...samples);
  const media = ascii(seed.padEnd(sampleCount * 16, "·").slice(0, sampleCount * 8));
  return join(box("moof", fullBox("mfhd", 0, 0, u32(1)), box("traf", tfhd, tfdt, trun)), box("mdat", media));
}
