import { KEY_SYSTEMS, type KeySystem } from "../media/cenc/content-key.ts";
import { hlsNumberOf, msnOfHls } from "../media/live/hls-numbers.ts";
import type { Directives } from "../media/live/reload.ts";
import { withQuery } from "../media/manifest/query.ts";
import { readSelection, type Selection, selectionQuery } from "../media/manifest/selection.ts";

/**
 * A resource of a live session, requested from the inner entrypoint. The caller has already authorized the viewer. `playbackId` of an MPD is as
 * its URLs have it: with the permit of a private one.
 */
export type LiveAddress = { sessionId: string } & (
  | ({ kind: "playlist"; rendition: string; directives: Directives; isDvr: boolean } & Encryption)
  | ({ kind: "init"; rendition: string; version: number } & Encryption)
  | ({ kind: "media"; rendition: string; msn: number; part: number | null } & Encryption)
  /** Captions. */
  | { kind: "text"; rendition: string; msn: number; part: number | null }
  | ({ kind: "mpd"; playbackId: string; isDvr: boolean; selection: Selection; omitsType: boolean } & Encryption)
  | { kind: "thumbnail" }
);

/** The key of an encrypted session, and the key systems that its manifests offer. */
export interface EncryptedWith {
  keyId: string;
  keySystems: KeySystem[];
}
interface Encryption {
  encryption: EncryptedWith | null;
}

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
        ...encryptionQuery(address.encryption),
      });
    }
    case "init":
      return withQuery(
        `live/${sessionId}/${address.rendition}/init-${address.version}.mp4`,
        keyQuery(address.encryption),
      );
    case "media": {
      const part = address.part === null ? "" : `.${address.part}`;
      return withQuery(
        `live/${sessionId}/${address.rendition}/${address.msn}${part}.m4s`,
        keyQuery(address.encryption),
      );
    }
    case "text": {
      const part = address.part === null ? "" : `.${address.part}`;
      return `live/${sessionId}/${address.rendition}/${address.msn}${part}.vtt`;
    }
    case "mpd": {
      const { playbackId, isDvr, selection, omitsType } = address;
      const flags = { dvrMode: isDvr ? "true" : null, omitsType: omitsType ? "true" : null };
      const asked = { ...flags, ...selectionQuery(selection), ...encryptionQuery(address.encryption) };
      return withQuery(`live/${sessionId}.mpd`, { playbackId, ...asked });
    }
    case "thumbnail":
      return `live/${sessionId}/thumbnail.jpg`;
  }
}

/** Media is the same for all key systems of a key. */
const keyQuery = (encryption: EncryptedWith | null) => ({ key: encryption?.keyId });
const encryptionQuery = (encryption: EncryptedWith | null) => ({
  ...keyQuery(encryption),
  systems: encryption?.keySystems.join(","),
});

function readEncryption(query: URLSearchParams): EncryptedWith | null {
  const keyId = query.get("key");
  if (keyId === null) return null;
  const systems = query.get("systems")?.split(",") ?? [];
  return { keyId, keySystems: KEY_SYSTEMS.filter((keySystem) => systems.includes(keySystem)) };
}

/** Parses a URL made by `liveAddressPath`; null for any other. */
export function readLiveAddress(url: URL): LiveAddress | null {
  const [, live, session = "", rendition = "", file] = url.pathname.split("/");
  if (live !== "live") return null;
  const { searchParams: query } = url;
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : null);
  const isDvr = query.get("dvrMode") === "true";
  const encryption = readEncryption(query);
  if (session.endsWith(".mpd")) {
    const playbackId = query.get("playbackId") ?? "";
    const sessionId = session.slice(0, -".mpd".length);
    const omitsType = query.get("omitsType") === "true";
    return { kind: "mpd", sessionId, playbackId, isDvr, selection: readSelection(query), omitsType, encryption };
  }
  const sessionId = session;
  if (rendition === "thumbnail.jpg") return { kind: "thumbnail", sessionId };
  if (file === undefined) {
    const asked = number("_HLS_msn");
    const waitFor = asked === null ? null : { msn: msnOfHls(asked), part: number("_HLS_part") };
    const directives: Directives = { waitFor, skip: query.has("_HLS_skip") ? "YES" : null };
    return {
      kind: "playlist",
      sessionId,
      rendition: rendition.slice(0, -".m3u8".length),
      directives,
      isDvr,
      encryption,
    };
  }
  if (file.endsWith(".mp4"))
    return { kind: "init", sessionId, rendition, version: Number.parseInt(file.slice(5), 10), encryption };
  const [msn, part] = file.slice(0, -".m4s".length).split(".").map(Number);
  if (file.endsWith(".vtt")) return { kind: "text", sessionId, rendition, msn: msn!, part: part ?? null };
  return { kind: "media", sessionId, rendition, msn: msn!, part: part ?? null, encryption };
}
