import type { SoundFacts } from "../../../protocol/live.ts";
import { preferredSound, soundNames } from "../manifest/model.ts";
import { languageName } from "../languages.ts";

/** A sound of a live session, as players list it. */
export interface LiveSound {
  name: string;
  languageCode: string; // BCP 47; "und" when the source does not say it
  /** The name in the source, or that of the language; "default" without both. */
  languageName: string;
  isDescription: boolean;
  /** The newest broadcast lacks it: it is silent. */
  isAbsent: boolean;
  /** Channels of the rendition; null = unknown. */
  channels: number | null;
}

/** @param channels of sounds without labels, in sessions from before broadcasts had several */
export function liveSound(
  { name, sound }: { name: string; sound?: SoundFacts | undefined },
  channels: number | null,
): LiveSound {
  const languageCode = sound?.languageCode ?? "und";
  return {
    name,
    languageCode,
    languageName: sound?.title ?? languageName(languageCode),
    isDescription: sound?.isDescription ?? false,
    isAbsent: sound?.isAbsent ?? false,
    channels: sound?.channels ?? channels,
  };
}

/** What players list, as for on-demand media. */
export function soundLabels(sounds: readonly LiveSound[]): (LiveSound & { label: string; isPreferred: boolean })[] {
  const names = soundNames(sounds);
  const preferred = preferredSound(sounds.filter(({ isAbsent }) => !isAbsent)) ?? sounds[0];
  return sounds.map((sound, n) => ({ ...sound, label: names[n]!, isPreferred: sound === preferred }));
}
