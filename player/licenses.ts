import type { HlsConfig } from "hls.js";

/** Key systems of the page's media, as hls.js names them. */
const NAMES = {
  clearkey: "org.w3.clearkey",
  widevine: "com.widevine.alpha",
  fairplay: "com.apple.fps",
} as const;
type KeySystem = keyof typeof NAMES;

const isKnown = (name: string): name is KeySystem => name in NAMES;

/**
 * hls.js configuration for encrypted media.
 *
 * @param keySystems those of the playback ID, separated by spaces; empty = the media is clear
 * @param playbackId whose licences the page's token is for
 */
export function licenseConfig(keySystems: string, playbackId: string, token: string | null): Partial<HlsConfig> {
  const known = keySystems.split(" ").filter(isKnown);
  if (known.length === 0) return {};
  const query = new URLSearchParams(token === null ? {} : { token });
  const address = (kind: "license" | "cert", name: KeySystem) =>
    `/v1/on-demand/drm/${kind}/${name}/${playbackId}?${query}`;
  return {
    emeEnabled: true,
    drmSystems: Object.fromEntries(
      known.map((name) => [
        NAMES[name],
        {
          licenseUrl: address("license", name),
          ...(name === "fairplay" ? { serverCertificateUrl: address("cert", name) } : {}),
        },
      ]),
    ),
  };
}
