/** R2 keys are derived from ids, so no look-up needs a listing. All objects of an asset share one prefix. */
export const assetPrefix = (assetId: string) => `assets/${assetId}/`;
export const sourceKey = (assetId: string) => `assets/${assetId}/source`;
/** A further file of a montage, by its position; file 0 is the source. */
export const montageFileKey = (assetId: string, file: number) => `assets/${assetId}/files/${file}`;
/** One piece of an uploaded source. Its number is never used twice, so the object is written once. */
export const pieceKey = (assetId: string, piece: number) => `assets/${assetId}/pieces/${piece}`;
/** The list of the pieces of a complete upload, in their order. */
export const pieceListKey = (assetId: string) => `assets/${assetId}/pieces.json`;
/** `file` is `init.mp4` or `{number}.m4s`. */
export const renditionKey = (assetId: string, rendition: string, file: string) =>
  `assets/${assetId}/renditions/${rendition}/${file}`;
/** The newest thumbnail of a broadcast on air. */
export const liveThumbnailKey = (sessionId: string) => `assets/${sessionId}/live-thumbnail.jpg`;
/** The index from which passthrough segments are cut. */
export const passthroughKey = (assetId: string, rendition: string) => `assets/${assetId}/passthrough/${rendition}`;
/** A picture that has been made from an asset, by its canonical name with the extension. */
export const imageKey = (assetId: string, name: string) => `assets/${assetId}/images/${name}`;
/**
 * The captions of a subtitle track. `file` is `whole.vtt`, `whole.srt`, `whole.txt`, `segments`, `segments.json`, or `words.json` of generated ones.
 *
 * @param folder of a text that has replaced the first one; "" = the first one
 */
export const captionsKey = (assetId: string, trackId: string, file: string, folder = "") =>
  `${captionsPrefix(assetId, trackId)}${folder === "" ? "" : `${folder}/`}${file}`;
/** It is also a part of addresses of segments, which never change. */
export const versionFolder = (id: string) => `v${id.replaceAll("-", "").slice(0, 12)}`;
export const captionsPrefix = (assetId: string, trackId: string) => `assets/${assetId}/text/${trackId}/`;
/** The file of an added audio track, until it is encoded. */
export const trackSourceKey = (assetId: string, trackId: string) => `assets/${assetId}/track-sources/${trackId}`;
/** The file of a sound that is mixed into one. */
export const imposedSourceKey = (assetId: string, trackId: string, position: number) =>
  `${trackSourceKey(assetId, trackId)}.${position}`;
export const renditionPrefix = (assetId: string, rendition: string) => `assets/${assetId}/renditions/${rendition}/`;
/** All objects of a list of a migration. */
export const importListPrefix = (workspaceId: string, listId: string) => `imports/${workspaceId}/lists/${listId}/`;
/** Rows of the list, as NDJSON. Pages count from 0. */
export const importListPageKey = (workspaceId: string, listId: string, page: number) =>
  `${importListPrefix(workspaceId, listId)}${page}.ndjson`;
/** On which page each id is. */
export const importListIdsKey = (workspaceId: string, listId: string) => `${importListPrefix(workspaceId, listId)}ids`;
