/** What a video becomes at its creation here. Pure. */
import { type CreateAsset, type Inputs, requireInputs } from "../../library/assets/index.ts";
import { languageName, languageTag } from "../../media/languages.ts";
import type { BatchSettings, Difference } from "../batches/batch-calls.ts";
import { labelText, mediaFieldsOf } from "../batches/media-fields.ts";
import type { ListedCaption, ListedVideo } from "../sources/source.ts";

export interface MediaBody {
  body: CreateAsset;
  inputs: Inputs;
  /** Captions whose text the source has given. */
  texts: LabelledText[];
  differences: Difference[];
}

export interface LabelledText {
  languageCode: string;
  languageName: string;
  title?: string;
  text: string;
}

/** Every event about a media contains its tracks. */
const MAX_CAPTIONS = 50;

/**
 * @param url of the file
 * @throws {Problem} validation_failed for a URL that this deployment does not fetch
 */
export function mediaBodyOf(
  video: ListedVideo,
  settings: BatchSettings,
  { url, allowPrivateNetwork }: { url: string; allowPrivateNetwork: boolean },
  captions: readonly ListedCaption[],
): MediaBody {
  const { title, creatorId, metadata, accessPolicy, allowedDomains, cut } = mediaFieldsOf(video, settings);
  const body: CreateAsset = {
    inputs: [{ type: "video", url }],
    accessPolicy,
    ...(allowedDomains === null
      ? {}
      : { accessRestrictions: { domains: { defaultPolicy: "deny", allow: allowedDomains } } }),
    ...(title === null ? {} : { title }),
    ...(creatorId === null ? {} : { creatorId }),
    metadata,
    maxResolution: settings.maxResolution,
    mediaQuality: settings.mediaQuality,
    mp4Support: settings.mp4Support,
  };
  const { source, tracks } = requireInputs(body, allowPrivateNetwork);
  const labelled = labelsOf(captions.slice(0, MAX_CAPTIONS));
  const differences = [...cut];
  if (captions.length > MAX_CAPTIONS)
    differences.push({ field: "captions", message: `only the first ${MAX_CAPTIONS} are carried over` });
  return {
    body,
    inputs: {
      source,
      tracks: [
        ...tracks,
        ...labelled.flatMap(({ caption: { url: file }, ...labels }) =>
          file === null ? [] : [{ ...labels, kind: "subtitle" as const, url: file }],
        ),
      ],
    },
    texts: labelled.flatMap(({ caption: { text }, ...labels }) => (text === null ? [] : [{ ...labels, text }])),
    differences,
  };
}

/** Names are unique for each media, and of the letters that the API takes. */
function labelsOf(captions: readonly ListedCaption[]) {
  const taken = new Map<string, number>();
  return captions.map((caption) => {
    const languageCode = languageTag(caption.languageCode);
    const name = languageName(languageCode);
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    const title = caption.name === null ? null : labelText(caption.name);
    return {
      caption,
      languageCode,
      languageName: count === 1 ? name : `${name} ${"I".repeat(count)}`,
      ...(title === null ? {} : { title }),
    };
  });
}
