export { type AiSettings, settingsOf } from "./store.ts";
export { promptOf, Vocabulary } from "./vocabulary.ts";
