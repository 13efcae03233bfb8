export { askPictures, findingsOfJudged, picturesOn, readPictures, sheetsOf } from "./ask-pictures.ts";
export { askSpeech, readSpeech } from "./ask-speech.ts";
export { MODERATION_CATEGORIES } from "./categories.ts";
export { combine, flagged } from "./combine.ts";
export { findWords } from "./lexicon.ts";
export {
  type Finding,
  isFlagged,
  MODERATION_HALVES,
  type ModerationHalf,
  type ModerationOrder,
  ModerationRequest,
  ModerationResult,
  USUAL_THRESHOLD,
} from "./moderation-result.ts";
