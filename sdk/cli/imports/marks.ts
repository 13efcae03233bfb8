import { styleText } from "node:util";
import type { Screen } from "../terminal/screen.ts";

/** Something that does not stop the command, and that somebody should read. */
export const warn = (screen: Screen, text: string): void => screen.lines([`  ${styleText("yellow", "!")} ${text}`]);

/** Something that is as it should be, and is no success of this command. */
export const note = (screen: Screen, text: string): void => screen.lines([`  ${styleText("dim", "–")} ${text}`]);
