import { toBase64 } from "../../../protocol/base64.ts";
import type { KeySystemSignal, Protection } from "../cenc/content-key.ts";
import { SYSTEM_IDS } from "../cenc/pssh.ts";
import { element } from "./xml.ts";

/** Namespace of `cenc:` in an MPD (ISO/IEC 23001-7 §11.2), an attribute of its root. */
export const CENC_NAMESPACE = { "xmlns:cenc": "urn:mpeg:cenc:2013" };

/**
 * ContentProtection of an adaptation set (ISO/IEC 23009-1 §5.8.4.1): the scheme and the key id, then each key system. FairPlay does not play DASH.
 * None for clear media.
 */
export function contentProtection(protection: Protection | null): string[] {
  if (protection === null) return [];
  const { keyId, signals } = protection;
  return [
    element("ContentProtection", {
      schemeIdUri: "urn:mpeg:dash:mp4protection:2011",
      value: "cbcs",
      "cenc:default_KID": keyId,
    }),
    ...signals.filter(({ keySystem }) => keySystem !== "fairplay").map(systemElement),
  ];
}

function systemElement({ keySystem, pssh }: KeySystemSignal): string {
  const attributes = { schemeIdUri: `urn:uuid:${SYSTEM_IDS[keySystem]}` };
  // Players make the request of ClearKey from the key id. dash.js takes a `pssh` of ClearKey for a list of key ids, and fails.
  if (keySystem === "clearkey" || pssh === null) return element("ContentProtection", attributes);
  return element("ContentProtection", attributes, `<cenc:pssh>${toBase64(pssh)}</cenc:pssh>`);
}
