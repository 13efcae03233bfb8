export { SourceError, type SourceErrorCode } from "./source-errors.ts";
export { fetchSource } from "./safe-fetch.ts";
export { placePieces, rangesOf } from "./piece-list.ts";
export { serveMontageFile, serveSegment, serveSource, serveTrackSource } from "./serve-source.ts";
export { isUploaded } from "./upload-address.ts";
export { openAwaitedSource } from "./awaited-source.ts";
export { NotArrived } from "./uploaded-source.ts";
export { assetSource, openStoredIndex, type StoredIndex } from "./stored-passthrough.ts";
