import type { ListItemInput } from "../../sources/list-item.ts";

type Field = keyof ListItemInput;

/** What other platforms' exports and spreadsheets call the fields, without spaces, `_` and `-`, in lower case. */
const NAMES: Record<Field, readonly string[]> = {
  id: ["id", "videoid", "assetid", "sourceid", "externalid", "mediaid", "guid", "uid"],
  url: ["url", "videourl", "fileurl", "sourceurl", "downloadurl", "mediaurl", "src", "source", "file", "link", "href"],
  title: ["title", "name", "videotitle", "videoname"],
  playbackId: ["playbackid", "oldplaybackid", "embedid"],
  createdAt: ["createdat", "created", "createddate", "creationdate", "createdtime", "uploaded", "uploadedat", "date"],
  metadata: ["metadata", "meta", "customfields"],
  captions: ["captions", "subtitles", "texttracks"],
  chapters: ["chapters"],
  creatorId: ["creatorid", "creator", "author", "owner"],
  tags: ["tags", "tag", "keywords", "labels"],
  folder: ["folder", "folderpath", "path", "project"],
  accessPolicy: ["accesspolicy", "policy", "access", "visibility"],
};

const FIELDS = new Map<string, Field>(
  Object.entries(NAMES).flatMap(([field, names]) => names.map((name) => [name, field as Field] as const)),
);

/** What a name means: a field, one value of `metadata`, or the captions of one language. Null = nothing. */
export type Meaning = { field: Field } | { metadata: string } | { captions: string } | null;

/** Case, spaces, `_` and `-` do not matter, except in the part after `metadata.`, which is the owner's. */
export function meaningOf(name: string): Meaning {
  const [, ofMetadata] = /^meta(?:data)?[._](.+)$/i.exec(name) ?? [];
  if (ofMetadata !== undefined) return { metadata: ofMetadata };
  const [, language] = /^(?:captions?|subtitles?)[._](.+)$/i.exec(name) ?? [];
  if (language !== undefined) return { captions: language.replaceAll("_", "-") };
  const field = FIELDS.get(name.replace(/[\s_-]/g, "").toLowerCase());
  return field === undefined ? null : { field };
}
