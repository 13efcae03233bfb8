export { addedTracks } from "./tables.ts";
export { type AddedTrack, audioRenditionOf, ORDER_ADDED } from "./repository.ts";
export { currentOf } from "./versions.ts";
