/** The hosts of the owner's domain that published clients expect (media contract, playback): which addresses each serves. Pure. */

import { UUID } from "./platform/uuid.ts";

type Kind = "api" | "beacon" | "license" | "root" | "playback" | "image" | "page" | "page file" | "ingest" | "migrated";

const SERVED: Record<string, readonly Kind[]> = {
  api: ["api", "beacon", "license", "root", "page file"], // the API reference loads its scripts from /player/
  stream: ["playback", "image", "beacon"], // manifests and previews name images on their own host
  images: ["image"],
  play: ["page", "beacon", "license", "page file", "root", "playback", "image"], // the hosted page loads everything from its own host
  live: ["ingest"],
};

/** The addresses are in pages, in place of those of another platform, and lead to the host that serves what they name. */
const ON_EVERY_HOST: Kind = "migrated";

const PREFIX = /^https?:\/\/(api|stream|images|play|live)\.([^/?#]+)/i;
const ON_PLATFORM = /\.workers\.dev(?::\d+)?$/i;

/** The first that matches; everything else belongs to the API. */
const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ["root", /^\/$/],
  ["migrated", /^\/migrated\//],
  ["license", /^\/v1\/(?:on-demand|live)\/drm\//],
  ["page file", /^\/player\/[a-z0-9-]+\.(?:js|css)(?:\.map)?$/],
  ["page", /^\/player(?:\/|$)/],
  ["image", new RegExp(`^/${UUID}[^/]*/(?:[a-z-]+\\.(?:jpg|png|webp|avif|gif|json|vtt)|images\\.m3u8)$`)],
  ["playback", new RegExp(`^/${UUID}[./~]|^(?!/v1/).*\\.(?:m3u8|mpd|m4s)$`)],
  ["ingest", /^\/ingest\//],
  ["beacon", /^\/(?:beacons|cmcd)\//],
];

const kindOf = (path: string): Kind => KINDS.find(([, form]) => form.test(path))?.[0] ?? "api";

/**
 * Whether the host of a URL serves its path. Only hosts whose first label is one of the five are limited. The host of `PUBLIC_URL` and those of
 * workers.dev serve every path.
 */
export function isServedHere(url: string, publicUrl: string): boolean {
  const [, prefix, rest = ""] = PREFIX.exec(url) ?? [];
  if (prefix === undefined || ON_PLATFORM.test(rest)) return true;
  const { host, pathname } = new URL(url);
  if (URL.canParse(publicUrl) && new URL(publicUrl).host === host) return true;
  const kind = kindOf(pathname);
  return kind === ON_EVERY_HOST || SERVED[prefix.toLowerCase()]!.includes(kind);
}
