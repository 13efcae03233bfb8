import { escapeText } from "../../../protocol/media/captions/cue.ts";
import type { CaptionsFile } from "../../../protocol/captions.ts";
import type { SubtitleCodec } from "../../../protocol/source-facts.ts";
import { CaptionsError, type Cue, CueList, requireShort } from "./cue.ts";
import { cleanMarkup } from "./markup.ts";
import { OVERRIDES, positionOf } from "./srt.ts";
import { cleanSettings } from "./webvtt.ts";

/**
 * Captions of a subtitle stream of a source, as an encoder has read them. Of ASS, bold, italics, underline and the position of a whole cue
 * are kept; styles, fonts, colours and drawings are dropped.
 *
 * @throws {CaptionsError} captions_empty, captions_too_large, captions_too_long
 */
export function readEmbedded(codec: SubtitleCodec, { cues }: CaptionsFile): { cues: Cue[]; skipped: number } {
  const list = new CueList();
  for (const [startMs, endMs, given, settings] of cues) {
    const payload = requireShort(given);
    list.add({ startMs, endMs, ...READERS[codec](payload, settings) });
  }
  if (list.cues.length === 0) throw new CaptionsError("captions_empty");
  return { cues: list.sorted(), skipped: list.skipped };
}

type Reader = (payload: string, settings: string) => Pick<Cue, "settings" | "text">;

/** Where players look for the position of a cue: in its first override tags. */
const POSITION_LENGTH = 1024;
const position = (payload: string) => positionOf(firstPosition(payload.slice(0, POSITION_LENGTH)));

const webvtt: Reader = (payload, settings) => ({ settings: cleanSettings(settings), text: cleanMarkup(payload) });

const READERS: Record<SubtitleCodec, Reader> = {
  mov_text: (payload) => ({ settings: "", text: cleanMarkup(payload) }),
  webvtt,
  cc_data: webvtt,
  eia_608: webvtt,
  dvb_teletext: webvtt,
  subrip: (payload) => ({ settings: position(payload), text: cleanMarkup(payload.replace(OVERRIDES, "")) }),
  ass: (payload) => ({ settings: position(payload), text: cleanMarkup(assMarkup(payload)) }),
};

/** The position out of a block with further tags: `{\an8\i1}` as `{\an8}`. */
function firstPosition(payload: string): string {
  const [, key] = /\{[^{}]{0,256}?\\an([1-9])[^{}]{0,256}\}/.exec(payload) ?? [];
  return key === undefined ? "" : `{\\an${key}}`;
}

const STYLES = ["b", "i", "u"] as const;

/**
 * Text of an ASS dialogue line with its override blocks as markup. Text inside a drawing (`\p1`) is none. Braces without a backslash are
 * comments of the author, which no player shows.
 */
function assMarkup(text: string): string {
  let markup = "";
  let isDrawing = false;
  for (const part of text.split(/(\{[^{}]*\})/)) {
    if (!part.startsWith("{") || !part.endsWith("}")) {
      if (!isDrawing) markup += escapeText(part.replace(/\\[Nn]/g, "\n").replace(/\\h/g, "\u00a0"));
      continue;
    }
    for (const [, name = "", value = ""] of part.matchAll(/\\(p|b|i|u|r)(\d*)(?=[\\}])/g)) {
      if (name === "p") isDrawing = Number(value) > 0;
      else if (name === "r") markup += "</b></i></u>";
      else if (STYLES.some((style) => style === name)) markup += Number(value) > 0 ? `<${name}>` : `</${name}>`;
    }
  }
  return markup;
}
