import { type AdaptationSet, type InPeriod, type Mpd, representationsOf } from "../manifest.ts";
import { eachOf, must, type Rule } from "../rule.ts";

const repeated = (ids: (string | null)[]): string | null => {
  const twice = ids.find((id, index) => id !== null && ids.indexOf(id) !== index);
  return twice === undefined ? null : `"${twice}" twice`;
};

/** Ids of Periods in an MPD, and of AdaptationSets and Representations in a Period. */
const idLists = ({ periods }: Mpd): (string | null)[][] => [
  periods.map(({ id }) => id),
  ...periods.map(({ sets }) => sets.map(({ id }) => id)),
  ...periods.map(({ sets }) => sets.flatMap(({ representations }) => representations.map(({ id }) => id))),
];

const of = (mpd: Mpd, contentType: string): InPeriod[] =>
  representationsOf(mpd).filter(({ set }) => set.contentType === contentType);

const without = (attributes: Record<string, string>, names: string[]): string | null => {
  const missing = names.filter((name) => attributes[name] === undefined);
  return missing.length === 0 ? null : `no ${missing.join(", ")}`;
};

const withoutInit = (initUrl: string | null): string | null => (initUrl === null ? "no initialization" : null);

/** An attribute of a set, either its own or common to all its Representations. */
const setWithout = ({ attributes }: AdaptationSet, names: [string, string][]): string | null => {
  const missing = names.filter((either) => either.every((name) => attributes[name] === undefined));
  return missing.length === 0 ? null : `no ${missing.map(([first]) => first).join(", ")}`;
};

export const SET_RULES: Rule[] = [
  must(
    "ids",
    "ISO 5.3.2 to 5.3.5",
    "Ids are unique: of Periods in the MPD, of AdaptationSets and Representations in their Period",
    eachOf(({ mpd }) => idLists(mpd), "each id once", repeated),
  ),
  must(
    "picture-set",
    "IOP 3.2.4",
    "A video set has its aspect ratio and its largest size and frame rate",
    eachOf(
      ({ mpd }) => mpd.periods.flatMap(({ sets }) => sets.filter(({ contentType }) => contentType === "video")),
      "par; maxWidth, maxHeight and maxFrameRate, or width, height and frameRate",
      (set) =>
        setWithout(set, [
          ["par", "par"],
          ["maxWidth", "width"],
          ["maxHeight", "height"],
          ["maxFrameRate", "frameRate"],
        ]),
    ),
  ),
  must(
    "picture",
    "IOP 3.2.4",
    "A video Representation has its size, frame rate, sample aspect ratio and codec, and an init segment",
    eachOf(
      ({ mpd }) => of(mpd, "video"),
      "width, height, frameRate, sar, codecs, mimeType, initialization",
      ({ representation: { attributes, initUrl } }) =>
        without(attributes, ["width", "height", "frameRate", "sar", "codecs", "mimeType"]) ?? withoutInit(initUrl),
    ),
  ),
  must(
    "sound",
    "IOP 3.2.4",
    "An audio Representation has its language, sampling rate, channels and codec, and an init segment",
    eachOf(
      ({ mpd }) => of(mpd, "audio"),
      "lang, audioSamplingRate, codecs, mimeType, AudioChannelConfiguration, initialization",
      ({ representation: { attributes, channelConfigurations, initUrl } }) =>
        without(attributes, ["lang", "audioSamplingRate", "codecs", "mimeType"]) ??
        withoutInit(initUrl) ??
        (channelConfigurations.length > 0 ? null : "no AudioChannelConfiguration"),
    ),
  ),
];
