import { ByteWriter } from "../mp4/byte-writer.ts";
import { boxHeader } from "../mp4/boxes.ts";
import { type Pattern, VIDEO_PATTERN, WHOLE_PATTERN } from "./cbcs.ts";
import { type Protection, uuidBytes } from "./content-key.ts";

/** An init segment whose track cannot be protected. */
class UnprotectableInit extends Error {
  override readonly name = "UnprotectableInit";
}

const CONTAINERS = new Set(["moov", "trak", "mdia", "minf", "stbl"]);
/** Fields of `stsd` before its entries: version, flags, count. */
const STSD_BYTES = 8;
const CBCS_VERSION = 0x10000;

interface SampleEntry {
  encryptedType: string;
  pattern: Pattern;
}
const ENTRIES: Record<string, SampleEntry> = {
  avc1: { encryptedType: "encv", pattern: VIDEO_PATTERN },
  avc3: { encryptedType: "encv", pattern: VIDEO_PATTERN },
  mp4a: { encryptedType: "enca", pattern: WHOLE_PATTERN },
};

/**
 * The init segment of the encrypted track (ISO/IEC 14496-12 §8.12, ISO/IEC 23001-7 §8.2): its sample entries are `encv` or `enca` with the
 * scheme, the key id and the initialization vector; the key systems' `pssh` boxes end the `moov`.
 *
 * @param clear an init segment of one track
 * @throws {UnprotectableInit} for a damaged one, and for other codecs than AVC and AAC
 */
export function protectInit(clear: Uint8Array, protection: Protection): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(clear.length + 512);
  const view = new DataView(clear.buffer, clear.byteOffset, clear.byteLength);
  let entries = 0;
  const copyBoxes = (start: number, end: number): void => {
    for (let at = start; at < end;) {
      if (at + 8 > end) throw new UnprotectableInit("a box is cut off");
      const { type, size, headerBytes } = boxHeader(view, at);
      if (size < headerBytes || at + size > end) throw new UnprotectableInit(`a damaged '${type}' box`);
      const [content, next] = [at + headerBytes, at + size];
      if (CONTAINERS.has(type))
        out.box(type, () => {
          copyBoxes(content, next);
          if (type === "moov") for (const { pssh } of protection.signals) if (pssh !== null) out.raw(pssh);
        });
      else if (type === "stsd")
        out.box(type, () => {
          out.raw(clear.subarray(content, content + STSD_BYTES));
          copyEntries(content + STSD_BYTES, next);
        });
      else out.raw(clear.subarray(at, next));
      at = next;
    }
  };
  const copyEntries = (start: number, end: number): void => {
    for (let at = start; at < end; entries += 1) {
      if (at + 8 > end) throw new UnprotectableInit("a sample entry is cut off");
      const { type, size, headerBytes } = boxHeader(view, at);
      const entry = ENTRIES[type];
      if (entry === undefined || size < headerBytes || at + size > end)
        throw new UnprotectableInit(`a sample entry of type '${type}'`);
      out.box(entry.encryptedType, () => {
        out.raw(clear.subarray(at + headerBytes, at + size));
        writeScheme(out, type, entry.pattern, protection);
      });
      at += size;
    }
  };
  copyBoxes(0, clear.length);
  if (entries === 0) throw new UnprotectableInit("no sample entry");
  return out.written().slice();
}

function writeScheme(out: ByteWriter, type: string, { encrypted, skipped }: Pattern, { keyId, iv }: Protection): void {
  out.box("sinf", () => {
    out.box("frma", () => out.text(type));
    out.fullBox("schm", 0, 0, () => {
      out.text("cbcs");
      out.u32(CBCS_VERSION);
    });
    out.box("schi", () =>
      out.fullBox("tenc", 1, 0, () => {
        out.u8(0);
        out.u8(skipped === 0 ? 0 : encrypted * 16 + skipped); // 0 = no pattern: samples are encrypted as a whole (§9.7)
        out.u8(1); // default_isProtected
        out.u8(0); // default_Per_Sample_IV_Size: the IV is constant
        out.raw(uuidBytes(keyId));
        out.u8(iv.length);
        out.raw(iv);
      }),
    );
  });
}
