export { chapterMarks } from "./chapter-marks.ts";
