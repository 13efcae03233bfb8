import { escapeText } from "../../../protocol/media/captions/cue.ts";
import { CaptionsError, type Cue, CueList } from "./cue.ts";
import { cleanMarkup } from "./markup.ts";
import { isAtTop, type Style, TtmlStyles } from "./ttml-styles.ts";
import { attribute, type Content, type TtmlElement, visitElements, type Visitor } from "./ttml-elements.ts";
import {
  type Clock,
  clip,
  clockOf,
  isContent,
  requireShallow,
  TimeContainer,
  type Timed,
  timedElement,
} from "./ttml-times.ts";

/** Characters that are looked at, those of a paragraph once for each time at which it changes. */
const MAX_WORK = 32 << 20;
/** The work that an element or a text costs, in characters. */
const NODE_WORK = 16;

export const isTtml = (text: string): boolean => /^\uFEFF?\s*(?:<\?xml|<!--|<(?:\w{1,16}:)?tt[\s>])/.test(text);

/** Text in one style. */
interface Run {
  text: string;
  style: Style;
}

/**
 * Cues of a TTML document: the text of `p`, and of `span` and `br` inside it (W3C TTML 1 and 2, IMSC, EBU-TT-D). A paragraph whose spans have times of
 * their own is a cue for each time at which its text changes. Times are clock times, offsets, frames or ticks, in parallel or in sequence;
 * styles are bold, italics, underline and the colours that WebVTT has classes for, direct, by reference, nested, or those of the region; a region at
 * the top is kept as a line setting.
 *
 * @throws {CaptionsError} captions_malformed, captions_too_large, captions_too_long
 */
export function parseTtml(text: string): CueList {
  const reader = new TtmlReader();
  visitElements(text, reader);
  return reader.list;
}

/** An element around paragraphs, with what it says about them. */
interface Around {
  times: TimeContainer;
  /** The times that it limits theirs to. */
  fromMs: number;
  toMs: number;
  style: Style;
  /** "" = none. */
  region: string;
}

/** Keeps one paragraph at a time. */
class TtmlReader implements Visitor {
  readonly list = new CueList();
  readonly #styles = new TtmlStyles();
  readonly #around: Around[] = [];
  #clock: Clock = { frameRate: 30, tickRate: 30 };
  #work = 0;

  open(element: TtmlElement): Content {
    const around = this.#around.at(-1);
    if (around === undefined) this.#clock = clockOf(element);
    else if (element.name === "p") return "keep";
    else if (!isContent(element)) return this.#around.length === 1 ? "keep" : "skip";
    requireShallow(this.#around.length);
    const times = new TimeContainer(element, placeIn(around), this.#clock);
    this.#around.push({
      times,
      fromMs: Math.max(times.startMs, around?.fromMs ?? 0),
      toMs: Math.min(times.givenEndMs ?? Infinity, around?.toMs ?? Infinity),
      style: { ...around?.style, ...this.#styles.of(element) },
      region: attribute(element, "region") || (around?.region ?? ""),
    });
    return "visit";
  }

  text(): void {
    this.#around.at(-1)?.times.passText();
  }

  close(element: TtmlElement): void {
    const around = this.#around.at(-1)!;
    if (element.name === "p") {
      const paragraph = timedElement(element, around.times.place, this.#clock, this.#around.length);
      around.times.pass(paragraph.endMs);
      clip(paragraph, around.fromMs, around.toMs);
      return this.#addParagraphIn(around, element, paragraph);
    }
    if (!isContent(element) && element.name !== "tt") return this.#styles.add(element);
    this.#around.pop();
    this.#around.at(-1)?.times.pass(around.times.endMs);
  }

  #addParagraphIn(around: Around, element: TtmlElement, paragraph: Timed): void {
    const region = this.#styles.region(attribute(element, "region") || around.region);
    // The text in a region inherits what the region says.
    const style = { ...region, ...around.style, ...this.#styles.of(element) };
    this.#addParagraph(paragraph, style, isAtTop(region) ? "line:0" : "");
  }

  #addParagraph(paragraph: Timed, style: Style, settings: string): void {
    const times = [...changesOf(paragraph)].toSorted((a, b) => a - b);
    const cues: Cue[] = [];
    for (const [n, startMs] of times.slice(0, -1).entries()) {
      const runs: Run[] = [];
      this.#collect(paragraph, startMs, style, runs);
      const cue = { startMs, endMs: times[n + 1]!, settings, text: cleanMarkup(markupOf(runs)) };
      const last = cues.at(-1);
      if (last?.endMs === startMs && last.text === cue.text) last.endMs = cue.endMs;
      else if (cue.text !== "") cues.push(cue);
    }
    // What no player can show is counted: a paragraph without text, or without an end.
    if (cues.length === 0) this.list.add({ startMs: 0, endMs: 0, settings, text: "" });
    for (const cue of cues) this.list.add({ ...cue, endMs: cue.endMs === Infinity ? Number.NaN : cue.endMs });
  }

  /** The text that is shown from a time on. */
  #collect(timed: Timed, atMs: number, style: Style, runs: Run[]): void {
    this.#work += NODE_WORK + timed.text.length;
    if (this.#work > MAX_WORK) throw new CaptionsError("captions_too_large");
    if (timed.startMs > atMs || timed.endMs <= atMs) return;
    const { element } = timed;
    if (element === null) return void runs.push({ text: escapeText(timed.text.replace(/\s+/g, " ")), style });
    const { name } = element;
    if (name === "br") return void runs.push({ text: "\n", style });
    const own = name === "p" ? style : { ...style, ...this.#styles.of(element) };
    for (const child of timed.children) this.#collect(child, atMs, own, runs);
  }
}

const placeIn = (around: Around | undefined) => around?.times.place ?? { beginMs: 0, isInSequence: false };

/** The times at which the text of a paragraph may change. */
function changesOf(timed: Timed, found = new Set<number>()): Set<number> {
  if (timed.startMs >= timed.endMs) return found;
  found.add(timed.startMs).add(timed.endMs);
  for (const child of timed.children) if (child.element !== null) changesOf(child, found);
  return found;
}

/** White space between two runs is in the style of the first one. */
function markupOf(runs: Run[]): string {
  let out = "";
  let open: string[] = [];
  for (const { text, style } of runs) {
    const tags = tagsOf(style);
    if (text.trim() !== "" && tags.join() !== open.join()) {
      out += `${closing(open)}${tags.map((tag) => `<${tag}>`).join("")}`;
      open = tags;
    }
    out += text;
  }
  return out + closing(open);
}

const tagsOf = ({ colour = null, bold, italic, underline }: Style): string[] => [
  ...(colour === null || colour === "white" ? [] : [`c.${colour}`]),
  ...(bold === true ? ["b"] : []),
  ...(italic === true ? ["i"] : []),
  ...(underline === true ? ["u"] : []),
];

const closing = (tags: string[]): string =>
  tags
    .toReversed()
    .map((tag) => `</${tag.split(".")[0]}>`)
    .join("");
