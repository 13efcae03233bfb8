import { describe, expect, test } from "vitest";
import type { Cue } from "../../../../protocol/media/captions/cue.ts";
import { Teletext } from "../../../../protocol/media/captions/teletext.ts";
import { hamming24 } from "../../../../protocol/media/captions/teletext-coding.ts";
import {
  boxed,
  designation,
  enhancements,
  hamming24 as encoded,
  header,
  pageData,
  pes,
  plainRow,
} from "../../../support/teletext-writer.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

type Shown = [page: string, startMs: number, endMs: number, text: string];

function decode(data: [atMs: number, pes: Uint8Array][], pages: Record<string, string> = { "888": "eng" }) {
  const shown: Shown[] = [];
  const cues: Cue[] = [];
  const teletext = new Teletext(
    (page, cue) => {
      cues.push(cue);
      shown.push([page, cue.startMs, cue.endMs, cue.text]);
    },
    new Map(Object.entries(pages)),
  );
  for (const [atMs, bytes] of data) teletext.push(bytes, atMs);
  teletext.end(10_000);
  return { shown, cues };
}
const textOf = (data: Uint8Array, language = "eng") => decode([[0, data]], { "888": language }).cues[0]?.text;

test("a page is shown from its header on, until it is erased", () => {
  const { shown } = decode([
    [1000, pageData(["First row", "second"])],
    [1500, pageData(["First row", "second"])], // sent again
    [3000, pageData([])],
    [4000, pageData(["Next"])],
  ]);
  expect(shown).toEqual([
    ["888", 1000, 3000, "First row\nsecond"],
    ["888", 4000, 10_000, "Next"],
  ]);
});

test("pages do not mix, also when their magazines alternate", () => {
  const mixed = pes([
    header({ page: "888" }),
    header({ page: "150", nationalOption: 1 }),
    boxed(20, "English"),
    boxed(20, "gr}n", "150"),
    header({ page: "889" }),
    boxed(20, "another", "889"),
    header({ page: "1ff", isSubtitle: false }),
  ]);
  const { shown } = decode([[0, mixed]], { "888": "eng", "150": "ger" });
  expect(shown.map(([page, , , text]) => `${page} ${text}`).toSorted()).toEqual(["150 grün", "888 English"]);
});

test("a page over two packets is one cue, and one whose header is not erasing keeps its other rows", () => {
  const { shown } = decode([
    [1000, pes([header({}), boxed(20, "One")])],
    [1040, pes([boxed(22, "two")])],
    [2000, pes([header({ isErased: false }), boxed(22, "TWO")])],
    [3000, pageData([])],
  ]);
  expect(shown).toEqual([
    ["888", 1000, 2000, "One\ntwo"],
    ["888", 2000, 3000, "One\nTWO"],
  ]);
});

describe("characters", () => {
  test.each([
    [0, "pol", "[\\]^$", "ŻŚŁćń"],
    [0, "eng", "#5 `", "£5 —"],
    [1, "ger", "gr}~e", "grüße"],
    [4, "fra", "@tre `", "àtre è"],
    [5, "spa", "ma|ana", "mañana"],
    [6, "cze", "@t]r", "čtýr"],
    [2, "swe", "{l", "äl"],
    [6, "tur", "gl$z", "glğz"],
  ])("national option %d of %s", (nationalOption, language, sent, expected) => {
    expect(textOf(pageData([sent], { nationalOption }), language)).toBe(expected);
  });

  test("the service names the region of its characters", () => {
    expect(textOf(pageData([designation(1), boxed(20, "[\\]^$")]))).toBe("ŻŚŁćń");
    // Cyrillic: no letters that are read as Latin ones.
    expect(textOf(pageData([designation(4), boxed(20, "PRIWET")], { nationalOption: 4 }))).toBe(undefined);
  });

  test("accents and further characters of level 1.5 are at their columns", () => {
    const more = enhancements([
      [20, 3, 0x12, 0x45],
      [20, 5, 0x0f, 0x68],
    ]);
    expect(textOf(pageData([more, boxed(20, "ElL")]))).toBe("ÉlŁ");
  });

  test("mosaics, concealed text and what is outside of the boxes are not shown", () => {
    const letters = (text: string) => Array.from(text, (char) => char.charCodeAt(0));
    const codes = [
      ...letters("out"),
      0x0b,
      0x0b,
      ...letters("in"),
      0x11,
      0x7f,
      0x35,
      0x07,
      0x18,
      ...letters("no"),
      0x0a,
    ];
    expect(textOf(pageData([plainRow(20, codes)]))).toBe("in");
  });

  test("markup is text, and captions say where they stand", () => {
    const [cue] = decode([[0, pageData([boxed(3, "<i>a & b")])]]).cues;
    expect([cue?.text, cue?.settings]).toEqual(["&lt;i&gt;a &amp; b", "line:16% position:12% align:start"]);
  });
});

test("a page is shown when the next header follows, or when nothing follows for a while", () => {
  const teletext = new Teletext(() => {}, new Map([["888", "eng"]]));
  const [shownBy, page] = [() => teletext.current("888")?.text, [header({}), boxed(20, "Hello")]];
  teletext.push(pes(page), 0);
  expect(shownBy()).toBeUndefined();
  teletext.settle();
  expect(shownBy()).toBe("Hello");
  teletext.push(pageData(["Next"]), 1000);
  expect(shownBy()).toBe("Next");
  teletext.push(pageData([]), 2000);
  expect([shownBy(), teletext.current("100")]).toEqual([undefined, null]);
});

describe("damaged data", () => {
  test("one wrong bit of an address is corrected, and a wrong character is a space", () => {
    const data = pageData(["Damaged"]);
    const unit = 1 + 46; // the first row, behind the header
    data[unit + 4]! ^= 0x10;
    data[unit + 4 + 2 + 5]! ^= 0x01;
    expect(textOf(data)).toBe("Da aged");
  });

  test("18 bits survive their coding, and damage to them is noticed", () => {
    for (const value of [0, 1, 0x3ffff, 0x2aaaa, 0x15555, 1 << 17]) {
      const [a = 0, b = 0, c = 0] = encoded(value);
      expect(hamming24(a, b, c)).toBe(value);
      expect(hamming24(a ^ 4, b, c)).toBe(-1);
    }
  });

  test("any bytes leave the decoder working, in bounded time", () => {
    let state = 7;
    const random = () => (state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff) >> 8;
    const startedAt = cpuMs();
    const noise = Array.from({ length: 500 }, (_, n): [number, Uint8Array] => {
      const bytes = pageData(["noise", "and more"]).map((byte) => (random() % 20 === 0 ? random() & 0xff : byte));
      return [n, n % 5 === 0 ? Uint8Array.from({ length: 2000 }, () => 0x10 | (random() & 0xff)) : bytes];
    });
    const { shown } = decode([...noise, [600, pageData(["after"])]]);
    expect(shown.at(-1)).toEqual(["888", 600, 10_000, "after"]);
    expect(cpuMs() - startedAt).toBeLessThan(5000);
  });
});
