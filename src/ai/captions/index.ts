export { middleOf } from "./halve-sound.ts";
export { isHeardWrong, placeWords, withoutLoops, withoutMarkers } from "./heard-words.ts";
export { layOutCues } from "./lay-out-cues.ts";
export type { Word } from "./word.ts";
