import { createHash } from "node:crypto";
import { HttpClient } from "../http-client.ts";
import { placeOf, type ByteRange } from "./attributes.ts";
import { readFragments } from "../boxes.ts";
import { readInit } from "../init-segment.ts";
import type { MediaAnswer, MediaPurpose, PlaylistAnswer, PlaylistPurpose } from "./evidence.ts";
import { parseMediaPlaylist } from "./parse.ts";
import type { Place } from "./playlist.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Requests playlists and media. */
export class Client extends HttpClient {
  /** Adds directives to the query, in the order of §6.3.2. */
  async playlist(
    url: string,
    purpose: PlaylistPurpose,
    directives: { msn?: number; part?: number; skip?: boolean } = {},
  ): Promise<PlaylistAnswer | null> {
    const asked = new URL(url);
    const { msn, part, skip } = directives;
    if (msn !== undefined) asked.searchParams.set("_HLS_msn", String(msn));
    if (part !== undefined) asked.searchParams.set("_HLS_part", String(part));
    if (skip === true) asked.searchParams.set("_HLS_skip", "YES");
    if (asked.search !== "") asked.searchParams.sort();
    const answer = await this.get(asked.href);
    if (answer === null) return null;
    const text = new TextDecoder().decode(answer.bytes);
    const place: Place | null = msn === undefined ? null : { msn, part: part ?? null };
    const playlist = answer.exchange.status === 200 ? parseMediaPlaylist(text, answer.exchange.url) : null;
    return { ...answer.exchange, purpose, asked: place, text, playlist };
  }

  /** @param lengths of the parts that a segment consists of, with their places */
  async media(
    purpose: MediaPurpose,
    uri: string,
    {
      range = null,
      msn = null,
      parts = null,
    }: {
      range?: ByteRange | null;
      msn?: number | null;
      parts?: { place: string; byteLength: number }[] | null;
    } = {},
  ): Promise<MediaAnswer | null> {
    const last = range === null || range.length === null ? "" : range.offset + range.length - 1;
    const headers: Record<string, string> = range === null ? {} : { range: `bytes=${range.offset}-${last}` };
    const answer = await this.get(uri, headers);
    if (answer === null) return null;
    const { exchange, bytes } = answer;
    return {
      ...exchange,
      purpose,
      place: placeOf(uri, range),
      msn,
      byteLength: bytes.byteLength,
      sha256: sha256(bytes),
      fragments: exchange.status < 300 ? readFragments(bytes) : [],
      init: purpose === "init" ? readInit(bytes) : null,
      slices: parts === null ? null : slicesOf(bytes, parts),
    };
  }
}

function slicesOf(bytes: Uint8Array, parts: { place: string; byteLength: number }[]) {
  let at = 0;
  const slices = parts.map(({ place, byteLength }) => {
    at += byteLength;
    return { place, sha256: sha256(bytes.subarray(at - byteLength, at)) };
  });
  return at === bytes.byteLength ? slices : [...slices, { place: "the rest", sha256: sha256(bytes.subarray(at)) }];
}
