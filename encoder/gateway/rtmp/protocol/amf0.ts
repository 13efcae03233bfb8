/**
 * AMF0, the encoding of RTMP commands ("Action Message Format -- AMF 0", Adobe). Pure. Input is untrusted, so reading takes linear time
 * and is bounded in depth and number of values.
 */

export type Amf0Value = number | boolean | string | null | undefined | Amf0Value[] | Map<string, Amf0Value>;

const MARKER = {
  number: 0,
  boolean: 1,
  string: 2,
  object: 3,
  null: 5,
  undefined: 6,
  ecmaArray: 8,
  objectEnd: 9,
  strictArray: 10,
  date: 11,
  longString: 12,
  xmlDocument: 15,
  typedObject: 16,
} as const;
const MAX_DEPTH = 8;
/** An encoder's `connect` has fewer than 40. */
const MAX_VALUES = 256;

/** The bytes are not AMF0, or exceed the bounds. */
export class Amf0Error extends Error {}

export class Amf0Reader {
  readonly #bytes: Buffer;
  #offset = 0;
  #values = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get hasMore(): boolean {
    return this.#offset < this.#bytes.length;
  }

  /** @throws {Amf0Error} */
  read(depth = 0): Amf0Value {
    this.#values += 1;
    if (depth > MAX_DEPTH || this.#values > MAX_VALUES) throw new Amf0Error("too many AMF values");
    switch (this.#uint(1)) {
      case MARKER.number:
        return this.#take(8).readDoubleBE();
      case MARKER.boolean:
        return this.#uint(1) !== 0;
      case MARKER.string:
        return this.#text(this.#uint(2));
      case MARKER.longString:
      case MARKER.xmlDocument:
        return this.#text(this.#uint(4));
      case MARKER.null:
        return null;
      case MARKER.undefined:
        return undefined;
      case MARKER.date:
        return this.#take(10).readDoubleBE();
      case MARKER.strictArray:
        return this.#array(this.#uint(4), depth);
      case MARKER.ecmaArray:
        this.#uint(4); // approximate number of fields; the end marker is authoritative
        return this.#fields(depth);
      case MARKER.typedObject:
        this.#text(this.#uint(2)); // class name
        return this.#fields(depth);
      case MARKER.object:
        return this.#fields(depth);
      default:
        throw new Amf0Error("unknown AMF marker");
    }
  }

  #array(length: number, depth: number): Amf0Value[] {
    const values: Amf0Value[] = [];
    while (values.length < length) values.push(this.read(depth + 1));
    return values;
  }

  #fields(depth: number): Map<string, Amf0Value> {
    const fields = new Map<string, Amf0Value>();
    for (;;) {
      const name = this.#text(this.#uint(2));
      if (this.#bytes[this.#offset] === MARKER.objectEnd) {
        this.#offset += 1;
        return fields;
      }
      fields.set(name, this.read(depth + 1));
    }
  }

  #uint(bytes: 1 | 2 | 4): number {
    return this.#take(bytes).readUIntBE(0, bytes);
  }

  #text(bytes: number): string {
    return this.#take(bytes).toString("utf8");
  }

  #take(bytes: number): Buffer {
    const end = this.#offset + bytes;
    if (end > this.#bytes.length) throw new Amf0Error("AMF value cut short");
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }
}

/** Values that Sluice sends. Arrays are written as strict arrays. */
export type Amf0Output = number | string | null | readonly Amf0Output[] | { readonly [field: string]: Amf0Output };

export const encodeAmf0 = (...values: Amf0Output[]): Buffer => Buffer.concat(values.flatMap(encodedParts));

function encodedParts(value: Amf0Output): Buffer[] {
  if (value === null) return [Buffer.of(MARKER.null)];
  if (typeof value === "string") return [Buffer.of(MARKER.string), ...nameParts(value)];
  if (typeof value === "number") {
    const bytes = Buffer.alloc(9); // marker 0
    bytes.writeDoubleBE(value, 1);
    return [bytes];
  }
  if (isArray(value)) {
    const header = Buffer.alloc(5, MARKER.strictArray);
    header.writeUInt32BE(value.length, 1);
    return [header, ...value.flatMap(encodedParts)];
  }
  const fields = Object.entries(value).flatMap(([name, field]) => [...nameParts(name), ...encodedParts(field)]);
  return [Buffer.of(MARKER.object), ...fields, Buffer.of(0, 0, MARKER.objectEnd)];
}

function nameParts(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return [length, bytes];
}

const isArray = (value: Amf0Output): value is readonly Amf0Output[] => Array.isArray(value);
