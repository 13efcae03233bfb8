export { type SourceErrorCode } from "./source-errors.ts";
export { NotArrived } from "./uploaded-source.ts";
export { assetSource, openStoredIndex, type StoredIndex } from "./stored-passthrough.ts";
