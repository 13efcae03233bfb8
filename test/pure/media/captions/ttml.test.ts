/** Times, styles and regions of TTML. */
import { describe, expect, test } from "vitest";
import { parseTtml } from "../../../../src/media/captions/ttml.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

const NAMESPACES = `xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling"`;
const cuesOf = (body: string, head = "") =>
  parseTtml(`<tt ${NAMESPACES}><head>${head}</head>${body}</tt>`).cues.map(({ startMs, endMs, settings, text }) =>
    [startMs / 1000, endMs / 1000, ...(settings === "" ? [] : [settings]), text].join(" | "),
  );
const codeOf = (body: string, head = ""): string => {
  try {
    return String(cuesOf(body, head).length);
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("times", () => {
  test("in a sequence each element begins when the one before it has ended", () => {
    const body = `<body timeContainer="seq"><div timeContainer="seq" begin="10s">
      <p dur="2s">one</p><p begin="1s" dur="2s">two</p><p begin="1s" end="3s">three</p></div>
      <div><p begin="1s" end="2s">parallel</p><p begin="0.5s" end="1.5s">early</p></div><p dur="1s">last</p></body>`;
    expect(cuesOf(body)).toEqual([
      "10 | 12 | one",
      "13 | 15 | two",
      "16 | 18 | three",
      "19 | 20 | parallel",
      "18.5 | 19.5 | early",
      "20 | 21 | last",
    ]);
  });

  test("in a sequence, an element without a duration of its own lasts as long as what is in it, and text does not last", () => {
    const body = `<body><div timeContainer="seq"><div><p end="2s">one</p></div><div><p timeContainer="seq" end="9s"><span dur="1s">a</span>
      not shown <span dur="1s">b</span></p></div></div></body>`;
    expect(cuesOf(body)).toEqual(["0 | 2 | one", "2 | 3 | a", "3 | 4 | b"]);
  });

  test("what is in a sequence ends with it", () => {
    const body = `<body><div timeContainer="seq" end="3s"><p dur="2s">one</p><p dur="2s">two</p><p dur="2s">three</p></div></body>`;
    expect(cuesOf(body)).toEqual(["0 | 2 | one", "2 | 3 | two"]);
  });

  test("a paragraph whose spans have times is a cue for each time at which its text changes, with the text that has no times", () => {
    const body = `<body><div><p begin="10s" end="20s">Ready? <span begin="2s" end="4s">Set. </span><span begin="3s">Go!</span></p></div></body>`;
    expect(cuesOf(body)).toEqual([
      "10 | 12 | Ready?",
      "12 | 13 | Ready? Set.",
      "13 | 14 | Ready? Set. Go!",
      "14 | 20 | Ready? Go!",
    ]);
  });

  test("times within times are relative to the span around them, and an empty time changes nothing", () => {
    const body = `<body><p begin="10s" end="20s"><span begin="1s" end="9s">a<span begin="1s" dur="2s">b</span><span begin="5s" end="5s">c</span></span></p></body>`;
    expect(cuesOf(body)).toEqual(["11 | 12 | a", "12 | 14 | ab", "14 | 19 | a"]);
  });
});

describe("styles", () => {
  const STYLING = `<styling><style xml:id="loud" tts:fontWeight="bold" style="yellow"/><style xml:id="yellow" tts:color="yellow"/>
    <style xml:id="slanted" tts:fontStyle="italic" tts:color="cyan"/><style xml:id="round" style="about"/><style xml:id="about" style="round" tts:color="lime"/></styling>`;
  const shown = (body: string, layout = "") =>
    cuesOf(`<body>${body}</body>`, `${STYLING}<layout>${layout}</layout>`).map((cue) =>
      cue.split(" | ").slice(2).join(" | "),
    );
  const paragraph = (attributes: string, text = "text") =>
    `<div><p begin="0s" end="1s" ${attributes}>${text}</p></div>`;

  test("styles refer to others, also to later ones; later references and direct attributes count", () => {
    expect(shown(paragraph(`style="loud"`))).toEqual(["<c.yellow><b>text</b></c>"]);
    expect(shown(paragraph(`style="loud slanted"`))).toEqual(["<c.cyan><b><i>text</i></b></c>"]);
    expect(shown(paragraph(`style="loud" tts:color="white" tts:fontWeight="normal"`))).toEqual(["text"]);
    expect(shown(paragraph(`style="round"`))).toEqual(["<c.lime>text</c>"]);
  });

  test("a span takes a style of what is around it away", () => {
    const text = `a<span tts:fontStyle="normal" tts:textDecoration="noUnderline">b</span>`;
    expect(shown(paragraph(`style="slanted" tts:textDecoration="underline"`, text))).toEqual([
      "<c.cyan><i><u>a</u></i></c><c.cyan>b</c>",
    ]);
  });

  test.each([
    ["attributes", `<region xml:id="r" tts:color="yellow"/>`, "<c.yellow>text</c>"],
    ["a style that it refers to", `<region xml:id="r" style="loud"/>`, "<c.yellow><b>text</b></c>"],
    ["a nested style", `<region xml:id="r"><style tts:color="cyan"/></region>`, "<c.cyan>text</c>"],
    [
      "a nested style that refers to another",
      `<region xml:id="r" style="slanted"><style style="loud"/></region>`,
      "<c.yellow><b><i>text</i></b></c>",
    ],
    [
      "its own attributes above nested styles",
      `<region xml:id="r" tts:color="red"><style tts:color="cyan"/></region>`,
      "<c.red>text</c>",
    ],
  ])("text has the style of its region: %s", (_, region, text) => {
    expect(shown(paragraph(`region="r"`), region)).toEqual([text]);
    expect(shown(`<div region="r"><p begin="0s" end="1s">text</p></div>`, region)).toEqual([text]);
    expect(shown(paragraph(""), region)).toEqual(["text"]);
    expect(
      shown(paragraph(`region="r" tts:color="lime" tts:fontWeight="normal" tts:fontStyle="normal"`), region),
    ).toEqual(["<c.lime>text</c>"]);
  });

  test.each([
    [`<region xml:id="r" tts:origin="10% 10%" tts:displayAlign="before"/>`, true],
    [
      `<region xml:id="r"><style tts:origin="10% 10%"/><style tts:extent="80% 20%" tts:displayAlign="after"/></region>`,
      true,
    ],
    [`<region xml:id="r" tts:origin="0% 0%" tts:extent="100% 100%" tts:displayAlign="after"/>`, false],
    [`<region xml:id="r" tts:origin="10% 80%"/>`, false],
    [`<region xml:id="r" tts:origin="100px 10px"/>`, false],
    [`<region xml:id="r"/>`, false],
  ])("a region says whether its text is at the top: %s", (region, isAtTop) => {
    expect(shown(paragraph(`region="r"`), region)).toEqual([isAtTop ? "line:0 | text" : "text"]);
  });
});

describe("hostile documents", () => {
  test("styles that refer to each other in a long chain, or in a circle, end", () => {
    const chain = Array.from({ length: 20_000 }, (_, n) => `<style xml:id="s${n}" style="s${n + 1}"/>`).join("");
    const head = `<styling>${chain}<style xml:id="s20000" style="s0" tts:color="red"/></styling>`;
    expect(
      cuesOf(
        `<body><p begin="0s" end="1s" style="s0">far</p><p begin="1s" end="2s" style="s19990">near</p></body>`,
        head,
      ),
    ).toEqual(["0 | 1 | far", "1 | 2 | <c.red>near</c>"]);
  });

  test("a paragraph with many times is read, and one that would take too long is refused at once", () => {
    const spans = (count: number) =>
      Array.from({ length: count }, (_, n) => `<span begin="${n}ms" end="${n + 1}ms">a</span>`).join("");
    expect(codeOf(`<body><p end="9s">${spans(500)}</p></body>`)).toBe("1"); // the text stays the same
    const startedAt = cpuMs();
    expect(codeOf(`<body><p end="9s">${spans(100_000)}</p></body>`)).toBe("captions_too_large");
    expect(cpuMs() - startedAt).toBeLessThan(10_000);
  });

  test("elements that are deep in each other are refused", () => {
    const deep = (count: number) => `${"<span>".repeat(count)}x${"</span>".repeat(count)}`;
    expect(codeOf(`<body><p begin="0s" end="1s">${deep(40)}</p></body>`)).toBe("1");
    expect(codeOf(`<body><p begin="0s" end="1s">${deep(80)}</p></body>`)).toBe("captions_malformed");
  });
});
