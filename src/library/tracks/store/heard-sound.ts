import { clipRenditionName } from "../../../media/clips/shared-rendition.ts";

interface Rendition {
  name: string;
  kind: "video" | "audio";
  origin: string;
  isDefault: boolean | null;
}

/**
 * The sound of which captions are made: the one that is wanted, or else the default one. Pure.
 *
 * @param wanted name of a rendition; null = the default sound
 * @returns undefined when the media has no sound
 */
export function heardSound<Row extends Rendition>(renditions: readonly Row[], wanted: string | null): Row | undefined {
  const sounds = renditions.filter(({ kind, origin }) => kind === "audio" && origin !== "passthrough");
  const isWanted = ({ name }: Row) => wanted !== null && (name === wanted || name === clipRenditionName(wanted));
  return sounds.find(isWanted) ?? sounds.find(({ isDefault }) => isDefault) ?? sounds[0];
}
