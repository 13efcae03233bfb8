import { ByteWriter } from "../mp4/byte-writer.ts";
import { uuidBytes } from "./content-key.ts";

/** System ids of `pssh` boxes and of DASH's ContentProtection (dashif.org/identifiers/content_protection). */
export const SYSTEM_IDS = {
  /** Key ids alone, for any key system: W3C "cenc Initialization Data Format" §4. */
  common: "1077efec-c0b2-4d02-ace3-3c1e52e2fb4b",
  clearkey: "e2719d58-a985-b3c9-781a-b030af78d30e",
  widevine: "edef8ba9-79d6-4ace-a3c8-27dcd51d21ed",
  fairplay: "94ce86fb-07ff-4f43-adb8-93d2fa968ca2",
} as const;

/** A `pssh` box of version 1 (ISO/IEC 23001-7 §8.1), which names a key id and has no data. */
export function commonPssh(keyId: string): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(64);
  out.fullBox("pssh", 1, 0, () => {
    out.raw(uuidBytes(SYSTEM_IDS.common));
    out.u32(1);
    out.raw(uuidBytes(keyId));
    out.u32(0);
  });
  return out.written().slice();
}

/** Widevine's `pssh` box: its data is a protocol buffer whose field 2 is the key id. */
export function widevinePssh(keyId: string): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(64);
  out.fullBox("pssh", 0, 0, () => {
    out.raw(uuidBytes(SYSTEM_IDS.widevine));
    out.u32(2 + 16);
    out.raw(Uint8Array.of(0x12, 16));
    out.raw(uuidBytes(keyId));
  });
  return out.written().slice();
}
