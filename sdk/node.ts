/** What needs Node: files on disk. */
export { type OpenFile, openFile } from "./upload/open-file.ts";
