import { clipRenditionName } from "../../../media/clips/shared-rendition.ts";

/** Names of added sounds begin with this (`audioRenditionOf`). */
const isAddedSound = (rendition: string): boolean => rendition.startsWith("at-");

interface Rendition {
  name: string;
  kind: "video" | "audio";
  origin: string;
  isDefault: boolean | null;
}

/**
 * The sound of which captions are made: the one that is wanted, or else the default one. An added sound has no substitute: it says something else. Pure.
 *
 * @param wanted name of a rendition; null = the default sound
 * @returns undefined when the media has no such sound
 */
export function heardSound<Row extends Rendition>(renditions: readonly Row[], wanted: string | null): Row | undefined {
  const sounds = renditions.filter(({ kind, origin }) => kind === "audio" && origin !== "passthrough");
  const isWanted = ({ name }: Row) => wanted !== null && (name === wanted || name === clipRenditionName(wanted));
  const found = sounds.find(isWanted);
  if (found !== undefined || (wanted !== null && isAddedSound(wanted))) return found;
  return sounds.find(({ isDefault }) => isDefault) ?? sounds[0];
}
