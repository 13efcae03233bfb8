import { ParameterSets, sliceHeaderBytes } from "../../../protocol/media/h264/slice-header.ts";
import { parseAvcRecord } from "../../../protocol/media/h264/avc-record.ts";

/** A run of clear bytes, then a run of protected bytes (ISO/IEC 23001-7 §7.2). */
export interface Subsample {
  clearBytes: number;
  protectedBytes: number;
}

const [SLICE, IDR, SEQUENCE, PICTURE] = [1, 5, 7, 8];
/** All types of NAL units that contain coded pictures (ITU-T H.264 table 7-1). */
const CODED = new Set([SLICE, 2, 3, 4, IDR, 19, 20, 21]);
/** `BytesOfClearData` has 16 bits. */
const MAX_CLEAR_BYTES = 0xffff;
/** The size of a sample's entry has 8 bits: 2 bytes and 6 for each subsample. */
const MAX_SUBSAMPLES = 42;

/** Finds the protected bytes of AVC samples in decoding order: the slices after their headers (ISO/IEC 23001-7 §9.5). */
export class AvcSubsamples {
  readonly #lengthBytes: number;
  readonly #sets = new ParameterSets();

  /** @param avcC AVCDecoderConfigurationRecord (ISO/IEC 14496-15 §5.3.3.1) */
  constructor(avcC: Uint8Array) {
    this.#lengthBytes = ((avcC[4] ?? 0) & 3) + 1;
    const record = parseAvcRecord(avcC);
    for (const unit of record?.sequences ?? []) this.#sets.addSequence(unit);
    for (const unit of record?.pictures ?? []) this.#sets.addPicture(unit);
  }

  /**
   * Decoders read slice headers without the key, so they stay clear. A slice whose header cannot be read is protected from its second byte:
   * content is never left clear.
   */
  of(sample: Uint8Array): Subsample[] {
    const found = new SubsampleList();
    for (let at = 0; at < sample.length;) {
      const start = at + this.#lengthBytes;
      const end = start + lengthAt(sample, at, this.#lengthBytes);
      if (end > sample.length || start >= end) {
        found.add(0, sample.length - at); // no NAL unit begins here
        break;
      }
      const clear = this.#clearBytes(sample.subarray(start, end));
      found.add(this.#lengthBytes + clear, end - start - clear);
      at = end;
    }
    return found.finish();
  }

  #clearBytes(unit: Uint8Array): number {
    const type = unit[0]! & 31;
    if (type === SEQUENCE) this.#sets.addSequence(unit);
    if (type === PICTURE) this.#sets.addPicture(unit);
    if (!CODED.has(type)) return unit.length;
    return type === SLICE || type === IDR ? (sliceHeaderBytes(unit, this.#sets) ?? 1) : 1;
  }
}

function lengthAt(bytes: Uint8Array, at: number, count: number): number {
  let length = 0;
  for (let n = 0; n < count; n++) length = length * 256 + (bytes[at + n] ?? 0);
  return length;
}

/** Joins clear runs, splits those that are too long, and keeps to the largest number of subsamples. */
class SubsampleList {
  readonly #list: Subsample[] = [];
  #clearBytes = 0;

  add(clearBytes: number, protectedBytes: number): void {
    this.#clearBytes += clearBytes;
    if (protectedBytes > 0) this.#flush(protectedBytes);
  }

  finish(): Subsample[] {
    if (this.#clearBytes > 0) this.#flush(0);
    return this.#list;
  }

  #flush(protectedBytes: number): void {
    const last = this.#list.at(-1);
    const needed = Math.max(1, Math.ceil(this.#clearBytes / MAX_CLEAR_BYTES));
    if (last !== undefined && this.#list.length + needed > MAX_SUBSAMPLES) {
      last.protectedBytes += this.#clearBytes + protectedBytes; // no room for runs of its own
    } else {
      for (; this.#clearBytes > MAX_CLEAR_BYTES; this.#clearBytes -= MAX_CLEAR_BYTES)
        this.#list.push({ clearBytes: MAX_CLEAR_BYTES, protectedBytes: 0 });
      this.#list.push({ clearBytes: this.#clearBytes, protectedBytes });
    }
    this.#clearBytes = 0;
  }
}
