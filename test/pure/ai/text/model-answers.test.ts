/** What models answer about a transcript is read, mended or refused. */
import { describe, expect, test } from "vitest";
import { readChat } from "../../../../src/ai/providers/read-chat.ts";
import { cutChapters, partsOf, sentencesOf, TEXT_RULES, type TextSource } from "../../../../src/ai/text/index.ts";
import { fromClock } from "../../../../src/ai/text/transcript-parts.ts";

const DURATION_MS = 100_000;
const sentences = Array.from({ length: 20 }, (_, n) => ({
  text: `Sentence ${n} names Ada Lovelace.`,
  startMs: n * 5000,
  endMs: n * 5000 + 4000,
}));
const source: TextSource = { sentences, parts: partsOf(sentences, 10_000), durationMs: DURATION_MS };

function answered(kind: keyof typeof TEXT_RULES, value: unknown) {
  const { step, count } = TEXT_RULES[kind].steps(source, { summaryWords: 30 });
  expect(count).toBe(1);
  const found = step(0, []).read(value);
  return found === null ? null : TEXT_RULES[kind].join([found], source);
}

const chapter = (startTime: unknown, title = "A title") => ({ startTime, title, summary: "Something is said." });
const starts = (value: unknown) =>
  (answered("chapters", value) as { chapters: { startMs: number }[] } | null)?.chapters.map(({ startMs }) => startMs);

describe("chapters", () => {
  test.each<[string, unknown, number[]]>([
    ["in order", { chapters: [chapter("00:00:00"), chapter("00:00:40")] }, [0, 40_000]],
    ["backwards", { chapters: [chapter("00:00:40"), chapter("00:00:00")] }, [0, 40_000]],
    [
      "that overlap, by their ends",
      { chapters: [{ ...chapter("00:00:00"), endTime: "00:01:00" }, chapter("00:00:40")] },
      [0, 40_000],
    ],
    ["behind the end", { chapters: [chapter("00:00:00"), chapter("01:00:00")] }, [0]],
    ["without one at the beginning", { chapters: [chapter("00:00:20"), chapter("00:00:40")] }, [0, 40_000]],
    ["of a second", { chapters: [chapter("0:00"), chapter("0:40"), chapter("0:41"), chapter("1:39")] }, [0, 40_000]],
    ["in seconds, as a list", [chapter(0), chapter(41.2)], [0, 40_000]],
    [
      "of which one has no time",
      { chapters: [chapter("00:00:00"), chapter("soon"), chapter("00:00:50")] },
      [0, 50_000],
    ],
  ])("%s", (_, value, wanted) => {
    expect(starts(value)).toEqual(wanted);
  });

  test.each([
    ["prose"],
    [{}],
    [{ chapters: "none" }],
    [{ chapters: [] }],
    [{ chapters: [chapter("soon")] }],
    [{ chapters: [chapter("00:03:00"), chapter("01:00:00")] }],
    [null],
  ])("%j are none", (value) => {
    expect(answered("chapters", value)).toBeNull();
  });

  test("have titles of one line without markup, of 60 characters", () => {
    const value = { chapters: [chapter(0, `**# A\n long** ${"word ".repeat(40)}`)] };
    const { chapters } = answered("chapters", value) as { chapters: { title: string }[] };
    expect(chapters[0]!.title).toMatch(/^# A long word .{30,44}…$/);
    expect(chapters[0]!.title.length).toBeLessThanOrEqual(60);
  });

  test("that are too short give their time to the longer one beside them", () => {
    const value = [
      chapter("0:00", "Welcome"),
      chapter("0:05", "Engines"),
      chapter("1:00", "A word"),
      chapter("1:05", "Wheels"),
    ];
    const { chapters } = answered("chapters", value) as { chapters: { startMs: number; title: string }[] };
    expect(chapters.map(({ startMs, title }) => [startMs, title])).toEqual([
      [0, "Engines"],
      [60_000, "Wheels"],
    ]);
  });

  test("of a part that begins shortly before a border have the title of what follows", () => {
    const all = [0, 30_000].map((startMs) => ({
      startMs,
      endMs: startMs + 30_000,
      title: `At ${startMs}`,
      summary: "",
    }));
    const cut = cutChapters(all, 27_000, 33_000).map(({ startMs, endMs, title }) => [startMs, endMs, title]);
    expect(cut).toEqual([[0, 33_000, "At 30000"]]);
  });

  test("of a part begin at its start", () => {
    const all = [0, 30_000, 60_000].map((startMs) => ({
      startMs,
      endMs: startMs + 30_000,
      title: `At ${startMs}`,
      summary: "",
    }));
    expect(cutChapters(all, 45_000, 40_000).map(({ startMs, endMs, title }) => [startMs, endMs, title])).toEqual([
      [0, 15_000, "At 30000"],
      [15_000, 40_000, "At 60000"],
    ]);
  });
});

describe("a summary", () => {
  test("that is much longer than asked ends with a sentence", () => {
    const { summary } = answered("summary", { summary: "Seven words are in this one sentence. ".repeat(20) }) as {
      summary: string;
    };
    expect(summary.split(". ").length).toBe(5);
    expect(summary.endsWith("sentence.")).toBe(true);
  });

  test.each([[{}], [{ summary: "" }], [{ summary: "ok" }], [42], [{ text: "A summary that stands elsewhere." }]])(
    "%j is none",
    (value) => {
      expect(answered("summary", value)).toBeNull();
    },
  );
});

describe("named entities", () => {
  test("that nobody says are left out, and counts are ours", () => {
    const value = {
      namedEntities: [
        { name: "Ada Lovelace", category: "PERSON", spellings: ["Lovelace"], count: 900 },
        { name: "Napoleon", category: "person", spellings: [] },
        { name: "Sentence", category: "something", spellings: [] },
      ],
    };
    expect(answered("namedEntities", value)).toEqual({
      namedEntities: [expect.objectContaining({ name: "Ada Lovelace", category: "person", count: 20 })],
    });
  });

  test("may be none at all", () => {
    expect(answered("namedEntities", { namedEntities: [] })).toEqual({ namedEntities: [] });
    expect(answered("namedEntities", "none")).toBeNull();
  });
});

test("a long transcript is summarised by parts, and then their summaries", () => {
  const long = { ...source, parts: partsOf(sentences, 400) };
  const { count, step } = TEXT_RULES.summary.steps(long, { summaryWords: 30 });
  expect(count).toBe(long.parts.length + 1);
  const last = step(count - 1, ["First part.", "Second part."]).request;
  expect(last.text).toBe("First part.\n\nSecond part.");
  expect(TEXT_RULES.summary.join(["First part.", "Both parts."], long)).toEqual({ summary: "Both parts." });
});

test.each([
  ["01:02:03", 3_723_000],
  ["2:03", 123_000],
  ["[00:00:01.5]", 1500],
  [12, 12_000],
  ["soon", null],
  ["-1", null],
  [Infinity, null],
  [{}, null],
])("the time %j is %j ms", (time, ms) => {
  expect(fromClock(time)).toBe(ms);
});

describe("the JSON in an answer", () => {
  const content = (text: unknown) => ({
    choices: [{ message: { content: text } }],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  });
  test.each<[string, unknown]>([
    ["as text", content('{"a":1}')],
    ["in a block of code", content('Here it is:\n```json\n{"a":1}\n```')],
    ["between sentences", content('Sure! {"a":1} I hope this helps.')],
    [
      "in parts",
      content([
        { type: "text", text: '{"a"' },
        { type: "text", text: ":1}" },
      ]),
    ],
    ["parsed, as Workers AI answers", { response: { a: 1 }, usage: { prompt_tokens: 10, completion_tokens: 5 } }],
    ["as text of Workers AI", { response: '{"a":1}' }],
  ])("%s", (_, answer) => {
    expect(readChat(answer, 3).value).toEqual({ a: 1 });
  });

  test.each([[content("no JSON")], [content(null)], [{ choices: [] }], [{ error: "x" }], ["text"], [content("{")]])(
    "%j has none",
    (answer) => {
      expect(() => readChat(answer, 3)).toThrow("something else");
    },
  );

  test("tokens are counted, or estimated", () => {
    expect(readChat(content('{"a":1}'), 3)).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    expect(readChat({ response: '{"a":1}' }, 100)).toMatchObject({ inputTokens: 100, outputTokens: 2 });
  });
});

test("sentences of captions have the times of their words, without markup and names of speakers", () => {
  const cues = [
    { startMs: 0, endMs: 2000, text: "<v Ada>Hello there. How" },
    { startMs: 2000, endMs: 4000, text: "are <i>you</i> &amp; yours?" },
    { startMs: 9000, endMs: 10_000, text: "no full stop" },
  ];
  expect(sentencesOf(cues)).toEqual([
    { text: "Hello there.", startMs: 0, endMs: expect.closeTo(1600, -2) },
    { text: "How are you & yours?", startMs: expect.closeTo(1600, -2), endMs: 4000 },
    { text: "no full stop", startMs: 9000, endMs: 10_000 },
  ]);
});
