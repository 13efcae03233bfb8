/** The head and the index of a film of many hours, whose media data is never read. */
import { readFileSync } from "node:fs";

const TIMESCALE = 60_000;
const FRAME_TICKS = 1000;
const FRAMES_PER_KEY = 120;
const FRAME_BYTES = 9000;
const SOUND_RATE = 48_000;
const SOUND_FRAME_BYTES = 340;
const FRAMES_PER_CHUNK = 2;

const box = (type: string, ...parts: Uint8Array[]): Buffer => {
  const size = 8 + parts.reduce((sum, { length }) => sum + length, 0);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(size);
  header.write(type, 4, "latin1");
  return Buffer.concat([header, ...parts]);
};
const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [n, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, n * 4);
  return bytes;
};
/** A table of `count` entries of `width` numbers each. */
function table(type: string, head: number[], count: number, width: number, entry: (n: number) => number[]): Buffer {
  const bytes = Buffer.alloc(count * width * 4);
  // Millions of entries.
  for (let n = 0, at = 0; n < count; n++) {
    const values = entry(n);
    for (let column = 0; column < width; column++, at += 4) bytes.writeUInt32BE(values[column]! >>> 0, at);
  }
  return box(type, numbers(...head, count), bytes);
}

/** The nth box of a type in the small film that supplies the formats. */
function formatOf(nth: number): Buffer {
  const film = readFileSync(`${import.meta.dirname}/../fixtures/flower.mp4`);
  let at = -1;
  for (let found = 0; found <= nth; found++) at = film.indexOf("stsd", at + 1, "latin1");
  return film.subarray(at - 4, at - 4 + film.readUInt32BE(at - 4));
}

interface Track {
  handler: "vide" | "soun";
  format: Buffer;
  timescale: number;
  sampleCount: number;
  sampleTicks: number;
  sampleBytes: number;
  firstOffset: number;
  chunkDistance: number;
  more: Buffer[];
}

function trak(track: Track): Buffer {
  const { handler, format, timescale, sampleCount, sampleTicks, sampleBytes, firstOffset, chunkDistance, more } = track;
  const isPicture = handler === "vide";
  const size = isPicture ? formatSize(format) : [0, 0];
  const matrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
  const tkhd = box("tkhd", numbers(1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...matrix, size[0]! << 16, size[1]! << 16));
  const mdhd = box("mdhd", numbers(0, 0, 0, timescale, 0, 0x55c4_0000));
  const hdlr = box("hdlr", numbers(0, 0), Buffer.from(handler), numbers(0, 0, 0), Buffer.alloc(1));
  const stbl = box(
    "stbl",
    format,
    table("stts", [0], 1, 2, () => [sampleCount, sampleTicks]),
    ...more,
    table("stsc", [0], 1, 3, () => [1, FRAMES_PER_CHUNK, 1]),
    table("stsz", [0, 0], sampleCount, 1, () => [sampleBytes]),
    table("co64", [0], sampleCount / FRAMES_PER_CHUNK, 2, (chunk) => {
      const offset = firstOffset + chunk * chunkDistance;
      return [Math.floor(offset / 2 ** 32), offset % 2 ** 32];
    }),
  );
  return box("trak", tkhd, box("mdia", mdhd, hdlr, box("minf", stbl)));
}

const formatSize = (stsd: Buffer): [number, number] => [stsd.readUInt16BE(48), stsd.readUInt16BE(50)];

/**
 * 60 pictures a second with sound, interleaved two by two. An hour has an index of 4.6 MiB.
 *
 * @returns the bytes at each offset, and the size of the whole file
 */
export function longFilm(hours: number, indexAt: "head" | "tail") {
  const pictures = hours * 3600 * 60;
  const sounds = Math.floor((hours * 3600 * SOUND_RATE) / 1024 / 2) * 2;
  const pictureBytes = pictures * FRAME_BYTES;
  const ftyp = box("ftyp", Buffer.from("isom"), numbers(0), Buffer.from("isom"));
  const composition = table("ctts", [0], pictures, 2, (n) => [1, n % 2 === 0 ? 2000 : 2500]);
  const keys = table("stss", [0], pictures / FRAMES_PER_KEY, 1, (n) => [n * FRAMES_PER_KEY + 1]);
  const shared = { format: formatOf(0), firstOffset: 0, more: [] };
  const moovFrom = (mediaAt: number) =>
    box(
      "moov",
      box("mvhd", numbers(0, 0, 0, 1000, 0), Buffer.alloc(80)),
      trak({
        ...shared,
        handler: "vide",
        timescale: TIMESCALE,
        sampleCount: pictures,
        sampleTicks: FRAME_TICKS,
        sampleBytes: FRAME_BYTES,
        firstOffset: mediaAt,
        chunkDistance: FRAME_BYTES * FRAMES_PER_CHUNK,
        more: [composition, keys],
      }),
      trak({
        ...shared,
        handler: "soun",
        format: formatOf(1),
        timescale: SOUND_RATE,
        sampleCount: sounds,
        sampleTicks: 1024,
        sampleBytes: SOUND_FRAME_BYTES,
        firstOffset: mediaAt + pictureBytes,
        chunkDistance: SOUND_FRAME_BYTES * FRAMES_PER_CHUNK,
      }),
    );
  const mediaBytes = pictureBytes + sounds * SOUND_FRAME_BYTES;
  const mdat = Buffer.concat([
    numbers(1),
    Buffer.from("mdat"),
    numbers(Math.floor((mediaBytes + 16) / 2 ** 32), (mediaBytes + 16) % 2 ** 32),
  ]);
  if (indexAt === "tail") {
    const start = Buffer.concat([ftyp, mdat]);
    const moov = moovFrom(start.length);
    const parts = [
      [0, start],
      [start.length + mediaBytes, moov],
    ] as const;
    return { parts, fileBytes: start.length + mediaBytes + moov.length, moovBytes: moov.length };
  }
  const moovBytes = moovFrom(0).length;
  const start = Buffer.concat([ftyp, moovFrom(ftyp.length + moovBytes + 16), mdat]);
  return { parts: [[0, start]] as const, fileBytes: start.length + mediaBytes, moovBytes };
}
