import type { Cue } from "./cue.ts";
import { plainText, srtText } from "./markup.ts";
import { timestamp } from "./timestamps.ts";

/** One cue block of WebVTT, with the empty line that ends it. */
export const vttBlock = ({ startMs, endMs, settings, text }: Cue): string =>
  `${timestamp(startMs)} --> ${timestamp(endMs)}${settings === "" ? "" : ` ${settings}`}\n${text}\n\n`;

export const writeVtt = (cues: readonly Cue[]): string => `WEBVTT\n\n${cues.map(vttBlock).join("")}`;

export const writeSrt = (cues: readonly Cue[]): string =>
  cues
    .map(
      ({ startMs, endMs, text }, position) =>
        `${position + 1}\n${timestamp(startMs, ",")} --> ${timestamp(endMs, ",")}\n${srtText(text)}\n\n`,
    )
    .join("");

/** The words alone: a line for each line of a cue. */
export const writeTxt = (cues: readonly Cue[]): string => cues.map(({ text }) => `${plainText(text)}\n`).join("");
