import type { KeySystem, Protection } from "../cenc/content-key.ts";
import { quoted, tag } from "./attributes.ts";

const KEY_FORMATS: Record<KeySystem, string> = {
  clearkey: "org.w3.clearkey",
  widevine: "urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed",
  fairplay: "com.apple.streamingkeydelivery",
};

/**
 * EXT-X-KEY of each key system (RFC 8216 §4.3.2.4). SAMPLE-AES with fragmented MP4 is the scheme `cbcs`; the initialization vector is in the init
 * segment. None for clear media.
 */
export const keyTags = (protection: Protection | null): string[] =>
  (protection?.signals ?? []).map(({ keySystem, hlsUri }) =>
    tag("EXT-X-KEY", {
      METHOD: "SAMPLE-AES",
      URI: quoted(hlsUri),
      // Widevine's extension of the tag, which players read for ClearKey too. FairPlay finds the key by its URI.
      KEYID: keySystem === "fairplay" ? null : `0x${protection!.keyId.replaceAll("-", "")}`,
      KEYFORMAT: quoted(KEY_FORMATS[keySystem]),
      KEYFORMATVERSIONS: quoted("1"),
    }),
  );
