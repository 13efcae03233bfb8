import { escapeText } from "../../../protocol/media/captions/cue.ts";
import { parseTimestamp, timestamp } from "./timestamps.ts";

/** Cue tags (W3C WebVTT §4.2.2). Anything else is text or is removed: players build elements from what is left. */
const TAGS = new Set(["b", "i", "u", "c", "v", "lang", "ruby", "rt"]);
/** Colours for which WebVTT has default classes (§5.1). */
const COLOURS = new Map<string, string>(
  Object.entries({
    white: "white",
    "#ffffff": "white",
    lime: "lime",
    "#00ff00": "lime",
    cyan: "cyan",
    aqua: "cyan",
    "#00ffff": "cyan",
    red: "red",
    "#ff0000": "red",
    yellow: "yellow",
    "#ffff00": "yellow",
    magenta: "magenta",
    fuchsia: "magenta",
    "#ff00ff": "magenta",
    blue: "blue",
    "#0000ff": "blue",
    black: "black",
    "#000000": "black",
  }),
);
/** The class of WebVTT for a colour of SRT or TTML (a name, `#rrggbb`, `#rrggbbaa` or `rgb()`); null = it has none. */
export function colourClass(colour: string): string | null {
  const [, ...parts] = /^rgba?\((\d{1,3}),(\d{1,3}),(\d{1,3})(?:,\d{1,3})?\)$/.exec(colour.replace(/\s/g, "")) ?? [];
  const hex = parts.slice(0, 3).map((part) => Number(part).toString(16).padStart(2, "0"));
  const name = hex.length === 3 ? `#${hex.join("")}` : colour.trim().toLowerCase();
  return COLOURS.get(name.replace(/^(#[\da-f]{6})[\da-f]{2}$/, "$1")) ?? null;
}

const MAX_DEPTH = 8;
const MAX_TAG_LENGTH = 256;
const ENTITIES = new Map<string, string>(
  Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: "\u00a0",
    lrm: "\u200e",
    rlm: "\u200f",
  }),
);

/** Character references of WebVTT and of XML; others stay text. */
const decodeEntities = (text: string): string =>
  text.includes("&")
    ? text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (all, decimal, hex, name) => {
        if (name !== undefined) return ENTITIES.get(name as string) ?? all;
        const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
        return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "";
      })
    : text;

interface OpenTag {
  /** As in the source: `font` closes `c`. */
  source: string;
  name: string;
}

/**
 * The payload of a WebVTT cue out of a payload of WebVTT or SRT. Text is escaped, known tags are written anew and always closed, every other
 * tag is removed. One pass, each character is looked at a bounded number of times.
 */
export function cleanMarkup(given: string): string {
  const payload = given.trim();
  const open: OpenTag[] = [];
  const out: string[] = [];
  let at = 0;
  const close = (source: string) => {
    const depth = open.findLastIndex((tag) => tag.source === source);
    if (depth < 0) return;
    for (const { name } of open.splice(depth).toReversed()) out.push(`</${name}>`);
  };
  while (at < payload.length) {
    const start = payload.indexOf("<", at);
    const end = start < 0 ? -1 : tagEnd(payload, start);
    const textEnd = start < 0 ? payload.length : end < 0 ? start + 1 : start;
    out.push(escapeText(decodeEntities(payload.slice(at, textEnd))));
    at = end < 0 ? textEnd : end + 1;
    if (end < 0) continue;
    const tag = payload.slice(start + 1, end);
    if (tag.startsWith("/")) close(tag.slice(1).trim().toLowerCase());
    else writeTag(tag, open, out);
  }
  while (open.length > 0) out.push(`</${open.pop()!.name}>`);
  return tidyLines(out.join(""));
}

/** The position of the `>` of a tag that begins at `start`; -1 when what follows is text, such as `a < b`. */
function tagEnd(payload: string, start: number): number {
  if (!/[a-zA-Z/0-9.]/.test(payload[start + 1] ?? "")) return -1;
  const most = Math.min(payload.length, start + MAX_TAG_LENGTH);
  for (let at = start + 1; at < most; at += 1) {
    const char = payload[at];
    if (char === ">") return at;
    if (char === "<") return -1;
  }
  return -1;
}

function writeTag(tag: string, open: OpenTag[], out: string[]): void {
  const atMs = parseTimestamp(tag);
  if (atMs !== null && atMs >= 0) {
    out.push(`<${timestamp(atMs)}>`);
    return;
  }
  const [, name = "", classes = "", rest = ""] = /^([a-zA-Z]+)((?:\.[^\s.]*)*)\s*([^]*)$/.exec(tag) ?? [];
  const source = name.toLowerCase();
  if (open.length >= MAX_DEPTH) return;
  if (source === "font") {
    const [, colour = ""] = /color\s*=\s*["']?([#\w]+)/i.exec(rest) ?? [];
    const known = colourClass(colour);
    if (known === null) return;
    open.push({ source, name: "c" });
    out.push(`<c.${known}>`);
    return;
  }
  if (!TAGS.has(source)) return;
  const kept = classes
    .split(".")
    .filter((one) => /^[a-zA-Z][\w-]{0,31}$/.test(one))
    .map((one) => `.${one}`)
    .join("");
  const annotation = source === "v" || source === "lang" ? annotationOf(rest) : "";
  if (source === "v" && annotation === "") return; // a voice needs a name
  open.push({ source, name: source });
  out.push(`<${source}${kept}${annotation === "" ? "" : ` ${annotation}`}>`);
}

const annotationOf = (text: string): string => escapeText(decodeEntities(text).replace(/\s+/g, " ").trim());

/** A cue's payload ends at an empty line, so it has none. */
const tidyLines = (text: string): string =>
  text
    .replace(/\t/g, " ")
    .split("\n")
    .map((lineOfText) => lineOfText.trim())
    .filter((lineOfText) => lineOfText !== "")
    .join("\n");

/** The text of a payload without markup. */
export const plainText = (payload: string): string => decodeEntities(payload.replace(/<[^<>]*>/g, ""));

/**
 * Payload as SRT shows it: bold, italics and underline only, and no character references. SRT has no escape: FFmpeg shows `&lt;` as five
 * characters, and web players put the text into a page as markup. So a `<` that could begin a tag becomes the look-alike `\u2039`, which every
 * player shows and none runs. It does so before a real tag too: a player that removes `<b>` would join what stands around it. The `>` of an
 * arrow becomes `\u203a`, so that no line of text is read as times.
 */
export const srtText = (payload: string): string =>
  payload
    .replace(/<(\/?[biu])(?:\.[^<>]*)?>/g, "<$1>")
    .replace(/<(?!\/?[biu]>)[^<>]*>/g, "")
    .split(/(<\/?[biu]>)/)
    .map((part, position) =>
      position % 2 === 1
        ? part
        : decodeEntities(part)
            .replace(/<(?![\s\d])/g, "\u2039")
            .replace(/--+>/g, (arrow) => `${arrow.slice(0, -1)}\u203a`),
    )
    .join("");
