import * as fc from "fast-check";
import { ContainerUnits, type Unit } from "../../../encoder/gateway/source/container-units.ts";
import { FlvTags } from "../../../encoder/gateway/simulcast/flv-tags.ts";
import { type Mutations, mutated, mutations, pieces, pieceSizes } from "../chunks.ts";
import type { FuzzTarget } from "../target.ts";

interface Media {
  media: Buffer;
  mutations: Mutations;
  sizes: number[];
}

const FLV_HEADER = Buffer.from("FLV\u0001\u0005\0\0\0\u0009\0\0\0\0", "latin1");
const size = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 400 }) }, fc.nat({ max: 400_000 }));

const tag = fc.tuple(fc.constantFrom(8, 9, 18), size, fc.nat({ max: 255 })).map(([type, length, fill]) => {
  const bytes = Buffer.alloc(15 + length, fill);
  bytes[0] = type;
  bytes.writeUIntBE(length, 1, 3);
  bytes.writeUInt32BE(11 + length, 11 + length);
  return bytes;
});
const box = fc.tuple(fc.constantFrom("ftyp", "moov", "moof", "mdat", "free", "wide"), size).map(([type, length]) => {
  const bytes = Buffer.alloc(8 + length, 1);
  bytes.writeUInt32BE(8 + length, 0);
  bytes.write(type, 4, "latin1");
  return bytes;
});
const packet = fc.nat({ max: 255 }).map((fill) => {
  const bytes = Buffer.alloc(188, fill);
  bytes[0] = 0x47;
  return bytes;
});
const media = fc.oneof(
  fc.array(tag, { maxLength: 40 }).map((tags) => Buffer.concat([FLV_HEADER, ...tags])),
  fc.array(box, { minLength: 1, maxLength: 40 }).map((boxes) => Buffer.concat(boxes)),
  fc.array(packet, { maxLength: 200 }).map((packets) => Buffer.concat(packets)),
  fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
);

/** The output has the same bytes in the same order as the input, for pieces of any size and for any declared sizes. */
export default {
  name: "container-units",
  arbitrary: fc.record({ media, mutations, sizes: pieceSizes }),
  run({ media: valid, mutations: changes, sizes }) {
    const input = mutated(valid, changes);
    const units = new ContainerUnits();
    const found: Unit[] = [];
    for (const piece of pieces(input, sizes)) found.push(...units.push(piece));
    found.push(...units.rest());
    if (!Buffer.concat(found.map(({ bytes }) => bytes)).equals(input)) throw new Error("the bytes changed");
    const tags = new FlvTags();
    let taggedBytes = 0;
    for (const piece of pieces(input, sizes)) for (const { data } of tags.push(piece)) taggedBytes += data.length;
    if (taggedBytes > input.length) throw new Error("the tags have more bytes than the input");
  },
} satisfies FuzzTarget<Media>;
