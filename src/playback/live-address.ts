import type { Directives } from "../delivery/live/reload.ts";

/** What the inner entrypoint is asked for of a live session. Whoever asks has checked that the viewer may have it. */
export type LiveAddress = { sessionId: string } & (
  | { kind: "playlist"; rendition: string; directives: Directives; isDvr: boolean }
  | { kind: "init"; rendition: string; version: number }
  | { kind: "media"; rendition: string; msn: number; part: number | null }
  | { kind: "mpd"; playbackId: string; isDvr: boolean }
  | { kind: "thumbnail" }
);

/** The one address for this question: parameters in one order, none that changes nothing, so that a cache has one answer for all. */
export function liveAddressPath(address: LiveAddress): string {
  const { sessionId } = address;
  switch (address.kind) {
    case "playlist": {
      const { waitFor, skip } = address.directives;
      return withQuery(`live/${sessionId}/${address.rendition}.m3u8`, {
        dvrMode: address.isDvr ? "true" : null,
        _HLS_msn: waitFor?.msn,
        _HLS_part: waitFor?.part,
        _HLS_skip: skip === null ? null : "YES", // v2 differs in date ranges, of which there are none
      });
    }
    case "init":
      return `live/${sessionId}/${address.rendition}/init-${address.version}.mp4`;
    case "media":
      return `live/${sessionId}/${address.rendition}/${address.msn}${address.part === null ? "" : `.${address.part}`}.m4s`;
    case "mpd": {
      const { playbackId, isDvr } = address;
      return withQuery(`live/${sessionId}.mpd`, { playbackId, dvrMode: isDvr ? "true" : null });
    }
    case "thumbnail":
      return `live/${sessionId}/thumbnail.jpg`;
  }
}

function withQuery(path: string, values: Record<string, string | number | null | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== null && value !== undefined) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** What `liveAddressPath` has written; null for anything else. */
export function readLiveAddress(url: URL): LiveAddress | null {
  const [, live, session = "", rendition = "", file] = url.pathname.split("/");
  if (live !== "live") return null;
  const { searchParams: query } = url;
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : null);
  const isDvr = query.get("dvrMode") === "true";
  if (session.endsWith(".mpd")) {
    const playbackId = query.get("playbackId") ?? "";
    return { kind: "mpd", sessionId: session.slice(0, -".mpd".length), playbackId, isDvr };
  }
  const sessionId = session;
  if (rendition === "thumbnail.jpg") return { kind: "thumbnail", sessionId };
  if (file === undefined) {
    const msn = number("_HLS_msn");
    const waitFor = msn === null ? null : { msn, part: number("_HLS_part") };
    const directives: Directives = { waitFor, skip: query.has("_HLS_skip") ? "YES" : null };
    return { kind: "playlist", sessionId, rendition: rendition.slice(0, -".m3u8".length), directives, isDvr };
  }
  if (file.endsWith(".mp4")) return { kind: "init", sessionId, rendition, version: Number.parseInt(file.slice(5), 10) };
  const [msn, part] = file.slice(0, -".m4s".length).split(".").map(Number);
  return { kind: "media", sessionId, rendition, msn: msn!, part: part ?? null };
}
