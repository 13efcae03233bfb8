/** Addresses of media as inputs (media contract, Media: "Clip"). Pure. */
import { isUuid } from "../../platform/uuid.ts";

const ADDRESS = /^[a-z]+_mediaId:\/\/(.*)$/i;

/** The source URL of a media that is cut from another one. Nothing is fetched from it. */
export const isClip = (sourceUrl: string): boolean => ADDRESS.test(sourceUrl);

/** The id of the media that an address names; null for one that names none. */
export function mediaIdIn(sourceUrl: string): string | null {
  const id = ADDRESS.exec(sourceUrl)?.[1]?.toLowerCase() ?? "";
  return isUuid(id) ? id : null;
}
