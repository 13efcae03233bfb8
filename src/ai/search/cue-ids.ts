/** The id of a cue is that of its document and its place there, so that a hit's document is known without reading the cue. */

/** Places of a document: more than a track may have cues. */
export const PLACES = 65_536;

export const cueId = (documentId: number, place: number): number => documentId * PLACES + place;

export const documentOf = (id: number): number => Math.floor(id / PLACES);
