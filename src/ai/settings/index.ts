export type { NewMedia } from "./new-media.ts";
export { settingsOf } from "./store.ts";
export { promptOf, Vocabulary } from "./vocabulary.ts";
