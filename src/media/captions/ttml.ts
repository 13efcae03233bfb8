import { escapeText } from "../../../protocol/media/captions/cue.ts";
import { parseXml, XmlCdata, XmlElement, XmlText } from "@rgrove/parse-xml";
import { CaptionsError, CueList } from "./cue.ts";
import { cleanMarkup, colourClass } from "./markup.ts";

/** The parser builds a tree in memory, so what it could build is counted first. */
const MAX_TAGS = 400_000;
const MAX_DEPTH = 64;

export const isTtml = (text: string): boolean => /^\uFEFF?\s*(?:<\?xml|<!--|<(?:\w{1,16}:)?tt[\s>])/.test(text);

interface Clock {
  frameRate: number;
  tickRate: number;
}

interface Style {
  italic: boolean;
  bold: boolean;
  underline: boolean;
  /** A class of WebVTT; null = that of what is around, or one without a class. */
  colour: string | null;
}

interface Times {
  startMs: number;
  endMs: number | null;
}

/**
 * Cues of a TTML document: timed text of `p` and of `span` inside it (W3C TTML 1, IMSC, EBU-TT-D). Times are clock times, offsets, frames or
 * ticks; styles are bold, italics, underline and the colours that WebVTT has classes for, direct or by reference; a region at the top is kept as a line setting.
 *
 * @throws {CaptionsError} captions_malformed, captions_too_large, captions_too_long
 */
export function parseTtml(text: string): CueList {
  const root = readTree(text);
  const list = new CueList();
  const clock = clockOf(root);
  const styles = new Map<string, Style>();
  const tops = new Set<string>();
  const walk = (element: XmlElement, times: Times, style: Style, region: string, depth: number) => {
    if (depth > MAX_DEPTH) throw new CaptionsError("captions_malformed");
    const name = localName(element);
    const id = attribute(element, "id");
    if (name === "style") return void styles.set(id, styleOf(element, styles, PLAIN));
    if (name === "region" && isAtTop(element)) tops.add(id);
    const own = timesOf(element, times, clock);
    const inherited = styleOf(element, styles, style);
    const where = attribute(element, "region") || region;
    if (name === "p") {
      const timed = element.children.filter((child) => child instanceof XmlElement && attribute(child, "begin") !== "");
      const settings = tops.has(where) ? "line:0" : "";
      const add = (from: XmlElement, at: Times, look: Style) =>
        list.add({
          startMs: at.startMs,
          endMs: at.endMs ?? Number.NaN,
          settings,
          text: cleanMarkup(textOf(from, styles, look, "white", 0)),
        });
      if (timed.length === 0) return add(element, own, inherited);
      for (const child of timed)
        if (child instanceof XmlElement) add(child, timesOf(child, own, clock), styleOf(child, styles, inherited));
      return;
    }
    for (const child of element.children)
      if (child instanceof XmlElement) walk(child, own, inherited, where, depth + 1);
  };
  walk(root, { startMs: 0, endMs: null }, PLAIN, "", 0);
  return list;
}

const PLAIN: Style = { italic: false, bold: false, underline: false, colour: null };

function readTree(text: string): XmlElement {
  const count = (char: string) => text.split(char, MAX_TAGS + 2).length - 1;
  if (count("<") > MAX_TAGS || count("=") > MAX_TAGS) throw new CaptionsError("captions_too_large");
  try {
    // Entities of a document type are not expanded; an undefined one is text.
    const { root } = parseXml(text.replace(/^\uFEFF?\s*/, ""), { ignoreUndefinedEntities: true });
    if (root !== null && localName(root) === "tt") return root;
  } catch (error) {
    throw new CaptionsError("captions_malformed", { cause: error });
  }
  throw new CaptionsError("captions_unknown_format");
}

const localName = ({ name }: XmlElement) => name.slice(name.indexOf(":") + 1).toLowerCase();

/** Namespaces are told apart by the local name alone: no two of TTML's are the same on one element. */
function attribute({ attributes }: XmlElement, local: string): string {
  for (const [name, value] of Object.entries(attributes))
    if (name === local || name.endsWith(`:${local}`)) return value;
  return "";
}

function clockOf(root: XmlElement): Clock {
  const rate = Number(attribute(root, "frameRate")) || 30;
  const [num = 1, den = 1] = attribute(root, "frameRateMultiplier").split(/[ :]/).map(Number);
  const frameRate = num > 0 && den > 0 ? (rate * num) / den : rate;
  return { frameRate, tickRate: Number(attribute(root, "tickRate")) || frameRate };
}

const UNITS_MS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A time expression (TTML 1 §10.3.1); null = there is none. */
function timeOf(text: string, { frameRate, tickRate }: Clock): number | null {
  const clock = /^(\d{1,6}):(\d{2}):(\d{2})(?:(\.\d{1,9})|:(\d{1,4})(?:\.\d+)?)?$/.exec(text);
  if (clock) {
    const [, hours, minutes, seconds, fraction = "0", frames = "0"] = clock;
    const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return (whole + Number(fraction) + Number(frames) / frameRate) * 1000;
  }
  const [, amount, unit = ""] = /^(\d{1,12}(?:\.\d{1,9})?)(h|ms|m|s|f|t)$/.exec(text) ?? [];
  if (amount === undefined) return null;
  if (unit === "f") return (Number(amount) / frameRate) * 1000;
  return unit === "t" ? (Number(amount) / tickRate) * 1000 : Number(amount) * UNITS_MS[unit]!;
}

/** Of children in parallel: they begin relative to their parent, and end with it at the latest. */
function timesOf(element: XmlElement, parent: Times, clock: Clock): Times {
  const startMs = parent.startMs + (timeOf(attribute(element, "begin"), clock) ?? 0);
  const end = timeOf(attribute(element, "end"), clock);
  const duration = timeOf(attribute(element, "dur"), clock);
  const ends = [
    end === null ? null : parent.startMs + end,
    duration === null ? null : startMs + duration,
    parent.endMs,
  ].filter((one) => one !== null);
  return { startMs, endMs: ends.length === 0 ? null : Math.min(...ends) };
}

function styleOf(element: XmlElement, styles: Map<string, Style>, base: Style): Style {
  const named = attribute(element, "style").split(/\s+/, 16);
  const found = named.flatMap((id) => styles.get(id) ?? []);
  const is = (local: string, pattern: RegExp, inherited: boolean) => {
    const value = attribute(element, local);
    return value === "" ? inherited : pattern.test(value);
  };
  return {
    italic: is("fontStyle", /italic|oblique/, base.italic || found.some(({ italic }) => italic)),
    bold: is("fontWeight", /bold/, base.bold || found.some(({ bold }) => bold)),
    underline: is("textDecoration", /\bunderline/, base.underline || found.some(({ underline }) => underline)),
    colour: colourOf(element) ?? found.findLast(({ colour }) => colour !== null)?.colour ?? base.colour,
  };
}

function colourOf(element: XmlElement): string | null {
  const colour = attribute(element, "color");
  return colour === "" ? null : colourClass(colour);
}

/** A region whose text stands in the upper half. */
function isAtTop(region: XmlElement): boolean {
  const align = attribute(region, "displayAlign");
  const [, top] = /^\s*[\d.]+%\s+([\d.]+)%/.exec(attribute(region, "origin")) ?? [];
  return align === "before" && Number(top ?? 0) < 50;
}

/**
 * The text of an element as WebVTT's markup. White space is collapsed, as by default; `br` breaks a line.
 *
 * @param around the colour of what the element is in; text of that colour needs no class
 */
function textOf(element: XmlElement, styles: Map<string, Style>, style: Style, around: string, depth: number): string {
  const colour = style.colour ?? around;
  if (depth > MAX_DEPTH) throw new CaptionsError("captions_malformed");
  const parts = element.children.map((child) => {
    if (child instanceof XmlText || child instanceof XmlCdata) return escapeText(child.text.replace(/\s+/g, " "));
    if (!(child instanceof XmlElement)) return "";
    if (localName(child) === "br") return "\n";
    if (localName(child) !== "span") return "";
    const own = styleOf(child, styles, PLAIN);
    return textOf(child, styles, own, colour, depth + 1);
  });
  const tags = [
    ...(colour === around ? [] : [{ open: `c.${colour}`, close: "c" }]),
    ...(["b", "i", "u"] as const)
      .filter((tag) => ({ b: style.bold, i: style.italic, u: style.underline })[tag])
      .map((tag) => ({ open: tag, close: tag })),
  ];
  const opening = tags.map(({ open }) => `<${open}>`);
  const closing = tags.toReversed().map(({ close }) => `</${close}>`);
  return [...opening, ...parts, ...closing].join("");
}
