import type { MediaPlace } from "./place.ts";

/** Media that is read for one picture, sheet or animation. It is in the memory of a Durable Object, twice while it is sent to an encoder. */
export const MAX_MEDIA_BYTES = 32 << 20;

export const mediaBytes = (places: readonly Pick<MediaPlace, "bytes">[]): number =>
  places.reduce((sum, { bytes }) => sum + bytes, 0);

/** Known from the plan, before any of the media is read. */
export const isTooMuchMedia = (places: readonly Pick<MediaPlace, "bytes">[]): boolean =>
  mediaBytes(places) > MAX_MEDIA_BYTES;
