export { assetSource, openStoredIndex, type StoredIndex } from "./stored-passthrough.ts";
