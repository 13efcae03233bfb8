export { giveChapters } from "./give-chapters.ts";
