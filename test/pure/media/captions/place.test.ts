/** Colours and places of closed captions and teletext, as WebVTT has them. */
import { describe, expect, test } from "vitest";
import { ClosedCaptions } from "../../../../protocol/media/captions/closed-captions.ts";
import type { Cue } from "../../../../protocol/media/captions/cue.ts";
import { settingsOf } from "../../../../protocol/media/captions/place.ts";
import { Teletext } from "../../../../protocol/media/captions/teletext.ts";
import { cleanMarkup } from "../../../../src/media/captions/markup.ts";
import { cleanSettings } from "../../../../src/media/captions/webvtt.ts";
import {
  channelWords,
  dtvcc,
  packetTriplets,
  PADDING,
  textWords,
  triplet,
  type Word,
} from "../../../support/cc-writer.ts";
import { boxed, pageData, plainRow } from "../../../support/teletext-writer.ts";

type Shown = [text: string, settings: string];

function shown(send: (captions: ClosedCaptions) => void): Shown[] {
  const cues: Cue[] = [];
  const captions = new ClosedCaptions((_, cue) => cues.push(cue));
  send(captions);
  captions.end(60_000);
  for (const { text, settings } of cues) expect([cleanMarkup(text), cleanSettings(settings)]).toEqual([text, settings]);
  return cues.map(({ text, settings }) => [text, settings]);
}

describe("CEA-608", () => {
  const cc1 = channelWords(1);
  const sent = (words: Word[]) =>
    shown((captions) => {
      for (const [n, word] of words.entries()) captions.push(Uint8Array.from(triplet(0, word)), n * 33);
    });
  /** A row of a pop-on caption: its preamble, and text or further words. @param preamble with the bit of the odd rows in it */
  const row = (first: number, second: number, ...parts: (string | Word[])[]): Word[] => [
    ...cc1.twice(first, second),
    ...parts.flatMap((part) => (typeof part === "string" ? textWords(part) : part)),
  ];
  const popOn = (...rows: Word[][]) =>
    sent([...cc1.command(0x20), ...cc1.command(0x2e), ...rows.flat(), ...cc1.command(0x2f)]);

  test("colours and underlines of preambles and within a row become classes and tags", () => {
    // Row 14 in yellow (0x4a), row 15 with codes in the middle of it: cyan, then italics in the same colour, then underlined white.
    const [cyan, italic, underlined] = [0x26, 0x2e, 0x21].map((code) => cc1.twice(0x11, code));
    expect(popOn(row(0x14, 0x4a, "Yellow"), row(0x14, 0x60, "a", cyan!, "b", italic!, "c", underlined!, "d"))).toEqual([
      ["<c.yellow>Yellow</c>\na <c.cyan>b </c><c.cyan><i>c </i></c><u>d</u>", "position:10% align:start"],
    ]);
  });

  test.each<[string, Word[][], string]>([
    // Indents are multiples of four columns.
    ["at the bottom in the middle", [row(0x14, 0x56, "12345678")], ""],
    ["centred rows of several lengths", [row(0x14, 0x54, "1234567890123456"), row(0x14, 0x76, "12345678")], ""],
    ["at the left", [row(0x14, 0x70, "Left")], "position:10% align:start"],
    ["at the right", [row(0x14, 0x7c, "12345678")], "position:70% align:start"],
    ["in the first row", [row(0x11, 0x56, "12345678")], "line:10%"],
    ["in the middle of the height", [row(0x16, 0x56, "12345678")], "line:42%"],
    ["centred within the left half", [row(0x14, 0x50, "12345678901234"), row(0x14, 0x72, "123456")], "position:28%"],
  ])("text %s has its place", (_, rows, settings) => {
    expect(popOn(...rows).map(([, place]) => place)).toEqual([settings]);
  });

  test("text that is typed begins at the same place while it grows", () => {
    const places = sent([
      ...cc1.rollUp("I AM"),
      ...Array.from({ length: 60 }, () => PADDING),
      ...textWords(" TALKING FOR A WHILE"),
    ]);
    expect(places).toEqual([
      ["I AM", "position:10% align:start"],
      ["I AM TALKING FOR A WHILE", "position:10% align:start"],
    ]);
  });
});

describe("CEA-708", () => {
  const { text } = dtvcc;
  const sent = (...codes: number[][]) =>
    shown((captions) => {
      for (const [n, one] of codes.entries())
        captions.push(Uint8Array.from(packetTriplets(one, { sequence: n }).flat()), n * 1000);
    });
  /** DefineWindow: visible, with its anchor in percent. @param anchor of nine, from the top left on */
  const window = (x: number, y: number, anchor: number, { style = 1, rows = 1, columns = 32 } = {}) => [
    0x98,
    0x20,
    0x80 | y,
    x,
    (anchor << 4) | (rows - 1),
    columns - 1,
    (style << 3) | 1,
  ];

  test("colours, italics and underlines of the pen become classes and tags", () => {
    const [green, plain] = [
      [0x91, 0x0c, 0, 0],
      [0x91, 0x3f, 0, 0],
    ];
    const underlined = [0x90, 0x05, 0x40];
    expect(
      sent([...window(50, 100, 7), ...green, ...text("go "), ...underlined, ...text("on "), ...plain, ...text("now")]),
    ).toEqual([
      ["<c.lime>go </c><c.lime><u>on </u></c><u>now</u>", expect.stringMatching(/^position:\d+% align:start$/)],
    ]);
  });

  test.each<[string, number[], string]>([
    ["anchored at its top left", window(0, 0, 0), "line:10% position:10% align:start"],
    ["anchored at its bottom left", window(0, 100, 6), "position:10% align:start"],
    ["anchored in the middle of the picture, centred", window(50, 50, 4, { style: 3 }), "line:47%"],
    ["centred at the bottom", window(50, 100, 7, { style: 6 }), ""],
    ["centred in the right half", window(100, 100, 8, { style: 3, columns: 21 }), "position:70%"],
    ["aligned at the right", [...window(100, 100, 8), 0x97, 0, 0, 0x01, 0], "position:90% align:end"],
  ])("text of a window %s has its place", (_, codes, settings) => {
    expect(sent([...codes, ...text("Hello")])).toEqual([["Hello", settings]]);
  });

  test("windows that are shown together are one cue, which stands around all of them", () => {
    const second = window(0, 100, 6).with(0, 0x99);
    expect(sent([...window(0, 0, 0), ...text("Up")], [...second, ...text("Low")]).at(-1)).toEqual([
      "Up\nLow",
      "position:10% align:start",
    ]);
  });
});

describe("teletext", () => {
  const decode = (...rows: (string | number[])[]): Shown[] => {
    const cues: Cue[] = [];
    const teletext = new Teletext((_, cue) => cues.push(cue), new Map([["888", "eng"]]));
    teletext.push(pageData(rows), 0);
    teletext.end(1000);
    return cues.map(({ text, settings }) => [text, settings]);
  };
  const coloured = (number: number, ...parts: (number | string)[]) =>
    plainRow(number, [
      0x0b,
      0x0b,
      ...parts.flatMap((part) => (typeof part === "number" ? [part] : Array.from(part, (char) => char.charCodeAt(0)))),
      0x0a,
      0x0a,
    ]);

  test("every row begins in white, and colours become classes", () => {
    expect(decode(coloured(20, 0x03, "One", 0x06, "two"), coloured(22, "Three", 0x02, "four"))).toEqual([
      ["<c.yellow>One </c><c.cyan>two</c>\nThree <c.lime>four</c>", expect.any(String)],
    ]);
  });

  test("rows in the middle at the bottom have no settings; others have their place", () => {
    expect(decode(boxed(22, "".padStart(12) + "1234567890"))).toEqual([["1234567890", ""]]);
    expect(decode(boxed(22, "Left"))).toEqual([["Left", "position:12% align:start"]]);
    expect(decode(boxed(2, "".padStart(12) + "1234567890"))).toEqual([["1234567890", "line:12%"]]);
  });
});

test("settings keep within what WebVTT allows", () => {
  for (const at of [-3, 0, 0.5, 1, 7])
    for (const alignment of ["start", "center", "end"] as const) {
      const settings = settingsOf({ top: at, bottom: at - 2, left: at, right: at }, alignment);
      expect(cleanSettings(settings)).toBe(settings);
    }
});
