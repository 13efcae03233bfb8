import type { Exchange } from "../http-client.ts";
import type { FragmentFacts } from "../boxes.ts";
import type { InitFacts } from "../init-segment.ts";
import type { MediaPlaylist, Place } from "./playlist.ts";
import type { Multivariant } from "./multivariant.ts";

export type { Exchange };

export type PlaylistPurpose =
  | "first"
  | "reload"
  | "delta"
  | "part alone"
  | "far segment"
  | "far part"
  | "old"
  | "plain"
  | "after the end";

export interface PlaylistAnswer extends Exchange {
  purpose: PlaylistPurpose;
  asked: Place | null;
  text: string;
  /** Null when the response is not 200. */
  playlist: MediaPlaylist | null;
}

export type MediaPurpose = "part" | "hint" | "segment" | "init" | "part that left" | "segment that left";

export interface MediaAnswer extends Exchange {
  purpose: MediaPurpose;
  /** The resource and its byte range. */
  place: string;
  msn: number | null;
  byteLength: number;
  sha256: string;
  fragments: FragmentFacts[];
  init: InitFacts | null;
  /** For a segment: the hashes of its slices, by the lengths of its parts; null when not all parts were fetched. */
  slices: { place: string; sha256: string }[] | null;
}

/** All evidence of one rendition, in the order of its responses. */
export interface RenditionEvidence {
  url: string;
  playlists: PlaylistAnswer[];
  media: MediaAnswer[];
}

export interface StreamEvidence {
  url: string;
  multivariant: Multivariant | null;
  /** The response with the multivariant playlist. */
  entry: Exchange;
  renditions: RenditionEvidence[];
  /** Longest stall of the checker's own process, which must not count against the server. */
  lagS: number;
}

export interface ReadAnswer extends PlaylistAnswer {
  playlist: MediaPlaylist;
}

/** The full playlists of a rendition, in order. */
export const fullPlaylists = ({ playlists }: RenditionEvidence): ReadAnswer[] =>
  playlists.filter(
    (answer): answer is ReadAnswer =>
      answer.playlist !== null && answer.playlist.skipped === null && ["first", "reload"].includes(answer.purpose),
  );

/** Every received playlist, including delta updates and probes. */
export const readAnswers = ({ playlists }: RenditionEvidence): ReadAnswer[] =>
  playlists.filter((answer): answer is ReadAnswer => answer.playlist !== null);
