import { createHash } from "node:crypto";

/** One parsed media playlist. */
export interface PlaylistView {
  url: string;
  name: string;
  kind: "video" | "audio";
  isComplete: boolean;
  initUrl: string;
  segmentUrls: string[];
  durationsS: number[];
}

const get = async (url: string): Promise<string> => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return await response.text();
};

/** Follows a multivariant playlist to every media playlist in it. */
export async function readPlaylists(manifestUrl: string): Promise<PlaylistView[]> {
  const multivariant = await get(manifestUrl);
  const lines = multivariant.split("\n");
  const found = new Map<string, "video" | "audio">();
  for (const [position, line] of lines.entries()) {
    const media = /^#EXT-X-MEDIA:.*TYPE=AUDIO.*URI="([^"]+)"/.exec(line)?.[1];
    if (media !== undefined) found.set(new URL(media, manifestUrl).href, "audio");
    if (!line.startsWith("#EXT-X-STREAM-INF:")) continue;
    const url = new URL(lines[position + 1] ?? "", manifestUrl).href;
    if (!found.has(url)) found.set(url, line.includes("RESOLUTION=") ? "video" : "audio");
  }
  return await Promise.all([...found].map(async ([url, kind]) => readPlaylist(url, kind, await get(url))));
}

function readPlaylist(url: string, kind: "video" | "audio", text: string): PlaylistView {
  const lines = text.split("\n");
  const initUri = /#EXT-X-MAP:URI="([^"]+)"/.exec(text)?.[1] ?? "";
  return {
    url,
    kind,
    name: /\/([a-z0-9-]+)\.m3u8/.exec(new URL(url).pathname)?.[1] ?? "",
    isComplete: lines.includes("#EXT-X-ENDLIST"),
    initUrl: new URL(initUri, url).href,
    segmentUrls: lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => new URL(line, url).href),
    durationsS: [...text.matchAll(/#EXTINF:([\d.]+)/g)].map((match) => Number(match[1])),
  };
}

export async function getBytes(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** SHA-256 of every object that a player can fetch, by its path below the playback id. */
export async function fingerprint(manifestUrl: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const playlist of await readPlaylists(manifestUrl)) {
    for (const url of [playlist.initUrl, ...playlist.segmentUrls]) {
      const path = new URL(url).pathname.split("/").slice(2).join("/");
      hashes[path] = createHash("sha256")
        .update(await getBytes(url))
        .digest("hex");
    }
  }
  return hashes;
}
