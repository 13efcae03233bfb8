/** The gateway's CPU time per byte of a pushed broadcast for finding tags and boxes. */
import { ContainerUnits } from "../encoder/gateway/source/container-units.ts";
import { type Figure, median } from "./support/figures.ts";

const UNIT_BYTES = 8 << 20;
const CHUNK_BYTES = [1400, 16 << 10, 256 << 10];
const ROUNDS = 9;
/** The cost must be linear in bytes: the smallest chunks may cost at most this factor more than the largest, for their calls. */
const AIM = 4;

export function run(): Promise<Figure[]> {
  const media = flv();
  const costs = CHUNK_BYTES.map((bytes) => ({ bytes, nsPerByte: costOf(media, bytes) }));
  const largest = median(costs.at(-1)!.nsPerByte);
  return Promise.resolve(
    costs.map(({ bytes, nsPerByte }) => ({
      name: `a tag of 8 MiB in chunks of ${bytes} bytes`,
      value: `${median(nsPerByte).toFixed(2)} ns/byte`,
      yardstick: `${(median(nsPerByte) / largest).toFixed(1)} times chunks of ${CHUNK_BYTES.at(-1)} bytes`,
      aim: `at most ${AIM} times`,
      isMet: median(nsPerByte) / largest <= AIM,
      raw: nsPerByte,
    })),
  );
}

/** A header and one video tag. */
function flv(): Buffer {
  const tag = Buffer.alloc(UNIT_BYTES, 0x27);
  tag[0] = 9;
  tag.writeUIntBE(UNIT_BYTES - 15, 1, 3);
  return Buffer.concat([Buffer.from("FLV\u0001\u0005\0\0\0\u0009\0\0\0\0", "latin1"), tag]);
}

/** Nanoseconds per byte of several rounds, after a first round that compiles the code. */
function costOf(media: Buffer, chunkBytes: number): number[] {
  const costs = Array.from({ length: ROUNDS + 1 }, () => {
    const units = new ContainerUnits();
    const startedNs = process.hrtime.bigint();
    for (let at = 0; at < media.length; at += chunkBytes) units.push(media.subarray(at, at + chunkBytes));
    return Number(process.hrtime.bigint() - startedNs) / media.length;
  });
  return costs.slice(1);
}
