export { settingsOf } from "./store.ts";
export { promptOf, Vocabulary } from "./vocabulary.ts";
