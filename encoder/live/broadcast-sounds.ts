/** The sounds of a broadcast: one rendition for each, under a name that lasts for the session. Pure. */
import { type KnownSound, MAX_SOUNDS } from "../../protocol/live.ts";

/** The format in which a sound is encoded. */
export interface SoundFormat {
  sampleRateHz: 44100 | 48000;
  channels: 1 | 2;
}

/** A sound of the source, as it is encoded. */
export interface SourceSound {
  /** Id of its first stream in the container: PID of MPEG-TS, track ID of MP4. Null = the source lacks it, and it is silent. */
  streamId: number | null;
  format: SoundFormat;
  /** BCP 47; "und" when the source does not say it. */
  languageCode: string;
  /** Describes the picture for viewers who do not see it. */
  isDescription: boolean;
  /** "" when it has none. */
  title: string;
}

export interface BroadcastSound extends SourceSound {
  /** Name of its rendition: "a1" to "a8". */
  name: string;
}

/** What decides which sound is heard first. */
interface Candidate {
  index: number;
  /** Its format is known: it has been sent. */
  isSent: boolean;
  isDefault: boolean;
  isDescription: boolean;
}

/** The sounds to encode, that which players begin with first. A sound that is only announced comes after those that are sent. */
export function chosenSounds<Sound extends Candidate>(sounds: readonly Sound[]): Sound[] {
  const rank = ({ isSent, isDescription, isDefault }: Sound) =>
    (isSent ? 0 : 4) + (isDescription ? 2 : 0) + (isDefault ? 0 : 1);
  return sounds.toSorted((a, b) => rank(a) - rank(b) || a.index - b.index).slice(0, MAX_SOUNDS);
}

/** `streamId` of a sound that the source has only announced. */
export const ANNOUNCED_ID = -1;

type Labels = Pick<SourceSound, "languageCode" | "isDescription">;

/**
 * Names the renditions of the sounds. A sound continues a rendition of the session that has its language, and else one of an unknown
 * language. If none does, the first one continues what players began with. What no sound continues goes on as silence.
 *
 * @param sounds at most `MAX_SOUNDS`, that which players begin with first
 * @param known sounds of the session, those of the last broadcast first
 */
export function namedSounds(sounds: readonly SourceSound[], known: readonly KnownSound[]): BroadcastSound[] {
  const names = new Map<SourceSound, string>();
  const taken = new Set<string>();
  const take = (sound: SourceSound, name: string | undefined) => {
    if (name === undefined || names.has(sound)) return;
    names.set(sound, name);
    taken.add(name);
  };
  const takeKnown = (sound: SourceSound, suits: (one: Labels) => boolean) =>
    take(sound, known.find((one) => !taken.has(one.name) && suits(labelsOf(one)))?.name);
  for (const sound of sounds) takeKnown(sound, (one) => isSamePurpose(one, sound) && isSameLanguage(one, sound));
  for (const sound of sounds) takeKnown(sound, (one) => isSamePurpose(one, sound) && isUnclear(one, sound));
  const [first] = sounds;
  if (first !== undefined && names.size === 0) takeKnown(first, () => true);
  const all = Array.from({ length: MAX_SOUNDS }, (_, n) => `a${n + 1}`);
  const isKnown = (name: string) => known.some((one) => one.name === name);
  // Names of sounds that the broadcast lacks are used again when there are no others.
  for (const sound of sounds)
    take(sound, all.find((name) => !taken.has(name) && !isKnown(name)) ?? all.find((name) => !taken.has(name)));
  const absent = known.filter(({ name }) => !taken.has(name)).map(silence);
  return [...sounds.map((sound) => ({ ...sound, name: names.get(sound)! })), ...absent];
}

/**
 * The rendition of a sound that begins after the others: that of a silent one of its language or of an unknown one, in its format, and
 * else one of its own.
 *
 * @param sounds of the broadcast, fewer than `MAX_SOUNDS` of them sent
 */
export function addedSound(
  added: SourceSound,
  sounds: readonly BroadcastSound[],
): Pick<BroadcastSound, "name" | "format"> {
  // An announced one is free when the encoder that announced it has crashed, and its successor finds the sound under its own ID.
  const isFree = ({ streamId }: BroadcastSound) =>
    streamId === null || streamId === ANNOUNCED_ID || streamId === added.streamId;
  const isLike = (one: BroadcastSound) =>
    isFree(one) && isSamePurpose(one, added) && (isSameLanguage(one, added) || isUnclear(one, added));
  const silent = sounds.find((one) => isLike(one) && isSameLanguage(one, added)) ?? sounds.find(isLike);
  if (silent !== undefined) return silent;
  const names = Array.from({ length: MAX_SOUNDS }, (_, n) => `a${n + 1}`);
  const unused = names.find((name) => sounds.every((one) => one.name !== name));
  return {
    name: unused ?? sounds.find(isFree)!.name,
    format: unused === undefined ? sounds.find(isFree)!.format : added.format,
  };
}

function silence({ name, sampleRateHz, channels, title = "", ...labels }: KnownSound): BroadcastSound {
  const format: SoundFormat = {
    sampleRateHz: sampleRateHz === 44_100 ? 44_100 : 48_000,
    channels: channels === 1 ? 1 : 2,
  };
  return { name, streamId: null, format, title, ...labelsOf({ name, sampleRateHz, channels, ...labels }) };
}

const labelsOf = ({ languageCode = "und", isDescription = false }: KnownSound): Labels => ({
  languageCode,
  isDescription,
});
const isSamePurpose = (a: Labels, b: Labels) => a.isDescription === b.isDescription;
const isSameLanguage = (a: Labels, b: Labels) => a.languageCode === b.languageCode;
const isUnclear = (a: Labels, b: Labels) => a.languageCode === "und" || b.languageCode === "und";
