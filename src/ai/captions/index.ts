export { isHeardWrong, placeWords, withoutLoops, withoutMarkers } from "./heard-words.ts";
export { layOutCues } from "./lay-out-cues.ts";
export { textOf, type Word } from "./word.ts";
