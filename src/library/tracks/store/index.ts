export { addedTracks } from "./tables.ts";
export { type AddedTrack, audioRenditionOf } from "./repository.ts";
