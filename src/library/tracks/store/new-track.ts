import { Problem } from "../../../platform/http/problems.ts";
import type { ImposedFile } from "./imposed-sound.ts";
import type { AddedTrack } from "./repository.ts";

/** A track as a request describes it. */
export interface TrackRequest {
  kind: AddedTrack["kind"];
  /** Checked; null: made by the platform. */
  url: string | null;
  languageCode: string;
  languageName: string;
  title?: string | undefined;
  default?: boolean | undefined;
  forced?: boolean | undefined;
  closedCaptions?: boolean | undefined;
  /** At the creation of the asset: see `replacesSound` of the table. */
  replacesSound?: boolean;
  /** At the creation of the asset: see `followsEdit` of the table. */
  followsEdit?: boolean;
  /** Sounds that are mixed into it. */
  imposed?: ImposedFile[];
  /** Captions that are made of the sound. */
  generated?: AddedTrack["generated"];
}

export const newTrack = (request: TrackRequest, assetId: string, now: Date): AddedTrack => ({
  id: crypto.randomUUID(),
  assetId,
  kind: request.kind,
  url: request.url,
  languageCode: request.languageCode,
  languageName: request.languageName,
  title: request.title ?? null,
  isDefault: request.default ?? false,
  isForced: request.forced ?? false,
  isClosedCaptions: request.closedCaptions ?? false,
  replacesSound: request.replacesSound ?? false,
  followsEdit: request.followsEdit ?? false,
  imposed: request.imposed === undefined || request.imposed.length === 0 ? null : request.imposed,
  generated: request.generated ?? null,
  status: "preparing",
  captions: null,
  errorCode: null,
  errorMessage: null,
  errorFault: null,
  createdAt: now,
});

/** Every event about a media contains all its tracks, and a multivariant playlist too. */
export const TRACKS_PER_MEDIA = 100;

interface Named {
  kind: string;
  languageName: string | null;
}

/**
 * Names are unique per media and type (media contract, tracks). Tracks that have failed do not count.
 *
 * @param others the tracks of the media, those of its source included
 * @throws {Problem} duplicate_language_name
 */
export function requireOwnName({ kind, languageName }: Named, others: readonly Named[]): void {
  const isSame = (other: Named) =>
    other.kind === kind && other.languageName?.toLowerCase() === languageName?.toLowerCase();
  if (others.some(isSame))
    throw new Problem("duplicate_language_name", `another ${kind} track of this media is named ${languageName}`);
}

/**
 * The tracks of a media that is created with them.
 *
 * @param isEdited the media is not the source's whole file: subtitles then move with the edit
 * @throws {Problem} duplicate_language_name
 */
export function newTracks(
  requests: readonly TrackRequest[],
  { assetId, isEdited }: { assetId: string; isEdited: boolean },
  now: Date,
): AddedTrack[] {
  const tracks = requests.map((request) =>
    newTrack(
      { ...request, followsEdit: isEdited && request.kind === "subtitle" && request.generated === undefined },
      assetId,
      now,
    ),
  );
  for (const [position, track] of tracks.entries()) requireOwnName(track, tracks.slice(0, position));
  return tracks;
}
