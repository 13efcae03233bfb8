import { hlsNumberOf, msnOfHls } from "../media/live/hls-numbers.ts";
import type { Directives } from "../media/live/reload.ts";
import { withQuery } from "../media/manifest/query.ts";
import { readSelection, type Selection, selectionQuery } from "../media/manifest/selection.ts";

/**
 * A resource of a live session, requested from the inner entrypoint. The caller has already authorized the viewer. `playbackId` of an MPD is as
 * its URLs have it: with the permit of a private one.
 */
export type LiveAddress = { sessionId: string } & (
  | { kind: "playlist"; rendition: string; directives: Directives; isDvr: boolean }
  | { kind: "init"; rendition: string; version: number }
  | { kind: "media"; rendition: string; msn: number; part: number | null }
  | { kind: "mpd"; playbackId: string; isDvr: boolean; selection: Selection; omitsType: boolean }
  | { kind: "thumbnail" }
);

/** The canonical path of the resource: fixed parameter order and no redundant parameters, so that all viewers share one cache entry. */
export function liveAddressPath(address: LiveAddress): string {
  const { sessionId } = address;
  switch (address.kind) {
    case "playlist": {
      const { waitFor, skip } = address.directives;
      return withQuery(`live/${sessionId}/${address.rendition}.m3u8`, {
        dvrMode: address.isDvr ? "true" : null,
        _HLS_msn: waitFor && hlsNumberOf(waitFor.msn),
        _HLS_part: waitFor?.part,
        _HLS_skip: skip === null ? null : "YES", // `v2` also skips date ranges; our playlists have none
      });
    }
    case "init":
      return `live/${sessionId}/${address.rendition}/init-${address.version}.mp4`;
    case "media":
      return `live/${sessionId}/${address.rendition}/${address.msn}${address.part === null ? "" : `.${address.part}`}.m4s`;
    case "mpd": {
      const { playbackId, isDvr, selection, omitsType } = address;
      const flags = { dvrMode: isDvr ? "true" : null, omitsType: omitsType ? "true" : null };
      const asked = { ...flags, ...selectionQuery(selection) };
      return withQuery(`live/${sessionId}.mpd`, { playbackId, ...asked });
    }
    case "thumbnail":
      return `live/${sessionId}/thumbnail.jpg`;
  }
}

/** Parses a URL made by `liveAddressPath`; null for any other. */
export function readLiveAddress(url: URL): LiveAddress | null {
  const [, live, session = "", rendition = "", file] = url.pathname.split("/");
  if (live !== "live") return null;
  const { searchParams: query } = url;
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : null);
  const isDvr = query.get("dvrMode") === "true";
  if (session.endsWith(".mpd")) {
    const playbackId = query.get("playbackId") ?? "";
    const sessionId = session.slice(0, -".mpd".length);
    const omitsType = query.get("omitsType") === "true";
    return { kind: "mpd", sessionId, playbackId, isDvr, selection: readSelection(query), omitsType };
  }
  const sessionId = session;
  if (rendition === "thumbnail.jpg") return { kind: "thumbnail", sessionId };
  if (file === undefined) {
    const asked = number("_HLS_msn");
    const waitFor = asked === null ? null : { msn: msnOfHls(asked), part: number("_HLS_part") };
    const directives: Directives = { waitFor, skip: query.has("_HLS_skip") ? "YES" : null };
    return { kind: "playlist", sessionId, rendition: rendition.slice(0, -".m3u8".length), directives, isDvr };
  }
  if (file.endsWith(".mp4")) return { kind: "init", sessionId, rendition, version: Number.parseInt(file.slice(5), 10) };
  const [msn, part] = file.slice(0, -".m4s".length).split(".").map(Number);
  return { kind: "media", sessionId, rendition, msn: msn!, part: part ?? null };
}
