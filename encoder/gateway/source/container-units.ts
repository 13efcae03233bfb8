/**
 * Splits a broadcast's bytes into container units. A decoder that starts midway gets the container's head again, followed by the stream
 * from an entry point. Pure.
 */
import { PendingBytes } from "../../platform/pending-bytes.ts";
import { headOf, TAG, tracksOf } from "./flv-packets.ts";
import { PACKET_BYTES, SYNC_BYTE, TransportTables } from "./transport-packets.ts";

export interface Unit {
  bytes: Buffer;
  /** Name of a head unit, which a new decoder must receive first; the newest of each name is valid. Null for other units. */
  head: string | null;
  /** A new decoder may start here, after the head. */
  isEntry: boolean;
}

const FLV_HEADER_BYTES = 13; // with the first previous tag size; Adobe FLV 10.1, E.2 and E.3
const FLV_TAG_HEADER_BYTES = 11;
const FLV_TRAILER_BYTES = 4;
const TAG_TYPES = new Set<number>(Object.values(TAG));
const BOX_HEADER_BYTES = 8;
/** Larger than any picture. A larger declared size is corrupt, and the bytes are passed through unparsed. */
const MAX_UNIT_BYTES = 8 << 20;

interface Split {
  units: Unit[];
  rest: Buffer;
  /** Minimum bytes, from the start of `rest`, for the next unit. */
  needed: number;
}
type Splitter = (bytes: Buffer) => Split | "opaque";

export class ContainerUnits {
  readonly #pending = new PendingBytes();
  /** Pending bytes are not parsed below this length, so that a large unit in small chunks takes linear time. */
  #needed = FLV_HEADER_BYTES;
  #split: Splitter | null = null;

  push(chunk: Uint8Array): Unit[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#pending.length + bytes.length < this.#needed) {
      this.#pending.append(bytes);
      return [];
    }
    const all = this.#withPending(bytes);
    this.#split ??= recognise(all);
    const found = this.#split(all);
    if (found === "opaque") return this.#passThrough(all);
    this.#pending.append(found.rest);
    this.#needed = found.needed;
    return found.units;
  }

  /** Returns the remaining bytes at the end of the stream. */
  rest(): Unit[] {
    const bytes = this.#pending.take();
    return bytes.length === 0 ? [] : [{ bytes, head: null, isEntry: false }];
  }

  #withPending(bytes: Buffer): Buffer {
    if (this.#pending.length === 0) return bytes;
    this.#pending.append(bytes);
    return this.#pending.take();
  }

  /** Stops parsing: from here on bytes are passed through unparsed. */
  #passThrough(bytes: Buffer): Unit[] {
    this.#split = passThrough;
    this.#needed = 0;
    return [{ bytes, head: null, isEntry: false }];
  }
}

function recognise(bytes: Buffer): Splitter {
  if (bytes.toString("latin1", 0, 3) === "FLV") return flvHeader;
  if (BOX_TYPES.has(bytes.toString("latin1", 4, 8))) return splitBoxes;
  return bytes[0] === SYNC_BYTE ? packetSplitter() : passThrough;
}

/** Each table is a unit, and so are the packets between two tables. A demuxer may start at any of them. */
function packetSplitter(): Splitter {
  const tables = new TransportTables();
  return (pending) => {
    const units: Unit[] = [];
    let [at, begun] = [0, 0];
    const endPackets = () => {
      if (at > begun) units.push({ bytes: pending.subarray(begun, at), head: null, isEntry: true });
    };
    for (; pending.length - at >= PACKET_BYTES; at += PACKET_BYTES) {
      if (pending[at] !== SYNC_BYTE) return "opaque";
      const packet = pending.subarray(at, at + PACKET_BYTES);
      const head = tables.nameOf(packet);
      if (head === null) continue;
      endPackets();
      units.push({ bytes: packet, head, isEntry: false });
      begun = at + PACKET_BYTES;
    }
    endPackets();
    return { units, rest: pending.subarray(at), needed: PACKET_BYTES };
  };
}

const passThrough: Splitter = (bytes) => ({
  units: [{ bytes, head: null, isEntry: true }],
  rest: Buffer.alloc(0),
  needed: 0,
});

/** Removes the file header once, then splits tags. */
const flvHeader: Splitter = (pending) => {
  if (pending.toString("latin1", 0, 3) !== "FLV") return splitTags(pending);
  const header: Unit = { bytes: pending.subarray(0, FLV_HEADER_BYTES), head: "0-header", isEntry: false };
  const found = splitTags(pending.subarray(FLV_HEADER_BYTES));
  return found === "opaque" ? found : { ...found, units: [header, ...found.units] };
};

const splitTags: Splitter = (pending) => {
  const units: Unit[] = [];
  let at = 0;
  let needed = FLV_TAG_HEADER_BYTES;
  while (pending.length - at >= FLV_TAG_HEADER_BYTES) {
    const total = FLV_TAG_HEADER_BYTES + pending.readUIntBE(at + 1, 3) + FLV_TRAILER_BYTES;
    const type = pending[at]! & 0x1f;
    if (!TAG_TYPES.has(type) || total > MAX_UNIT_BYTES) return "opaque";
    if (pending.length - at < total) {
      needed = total;
      break;
    }
    units.push(...unitsOfTag(type, pending.subarray(at, at + total)));
    at += total;
  }
  return { units, rest: pending.subarray(at), needed };
};

/** One for each track of the tag. */
function unitsOfTag(type: number, tag: Buffer): Unit[] {
  const data = tag.subarray(FLV_TAG_HEADER_BYTES, tag.length - FLV_TRAILER_BYTES);
  const tracks = tracksOf(type, data);
  return tracks.map((one) => {
    const head = headOf(type, one);
    return { bytes: tracks.length === 1 ? tag : tagWith(tag, one), head, isEntry: head === null };
  });
}

/** The tag with other data. */
function tagWith(tag: Buffer, data: Buffer): Buffer {
  const header = Buffer.from(tag.subarray(0, FLV_TAG_HEADER_BYTES));
  header.writeUIntBE(data.length, 1, 3);
  const trailer = Buffer.alloc(FLV_TRAILER_BYTES);
  trailer.writeUInt32BE(FLV_TAG_HEADER_BYTES + data.length);
  return Buffer.concat([header, data, trailer]);
}

const BOX_TYPES = new Set(["ftyp", "styp", "moov", "moof", "prft", "sidx", "emsg", "mdat", "free", "skip", "uuid"]);

/** Splits into complete top-level boxes. */
const splitBoxes: Splitter = (pending) => {
  const units: Unit[] = [];
  let at = 0;
  let needed = BOX_HEADER_BYTES;
  while (pending.length - at >= BOX_HEADER_BYTES) {
    const size = pending.readUInt32BE(at);
    const type = pending.toString("latin1", at + 4, at + 8);
    if (size < BOX_HEADER_BYTES || size > MAX_UNIT_BYTES) return "opaque";
    if (pending.length - at < size) {
      needed = size;
      break;
    }
    const head = type === "ftyp" ? "0-ftyp" : type === "moov" ? "1-moov" : null;
    units.push({ bytes: pending.subarray(at, at + size), head, isEntry: type === "moof" });
    at += size;
  }
  return { units, rest: pending.subarray(at), needed };
};
