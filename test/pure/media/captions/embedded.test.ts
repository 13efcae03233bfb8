import { describe, expect, test } from "vitest";
import type { TextCodec } from "../../../../protocol/source-facts.ts";
import { CaptionsError } from "../../../../src/media/captions/cue.ts";
import { readEmbedded } from "../../../../src/media/captions/embedded.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

const cue = (codec: TextCodec, payload: string, settings = "") => {
  const [read] = readEmbedded(codec, { cues: [[0, 1000, payload, settings]] }).cues;
  return [read?.settings, read?.text];
};

describe("ASS", () => {
  test.each([
    ["{\\an8\\fs20\\i1}Top{\\i0} line", "line:0", "<i>Top</i> line"],
    ["{\\i1\\an4}left", "line:50% align:start", "<i>left</i>"],
    ["one\\Ntwo\\nthree\\hfour", "", "one\ntwo\nthree\u00a0four"],
    ["{\\b700}bold{\\r} plain", "", "<b>bold</b> plain"],
    ["{\\b1\\i1}both{\\b0} after", "", "<b><i>both</i></b> after"],
    ["{\\p1}m 0 0 l 100 100{\\p0}text", "", "text"],
    ["{a comment}said <b>not bold</b> & {\\fnArial\\c&H0000FF&}red", "", "said &lt;b&gt;not bold&lt;/b&gt; &amp; red"],
    ["{\\k20}ka{\\k30}ra{\\blur3}o", "", "karao"],
    ["{never closed", "", "{never closed"],
  ])("%s", (payload, settings, text) => {
    expect(cue("ass", payload)).toEqual([settings, text]);
  });

  test("a line of opened braces is read in bounded time", () => {
    const startedAt = cpuMs();
    cue("ass", `x${"{\\".repeat(30_000)}`.slice(0, 16_000));
    cue("ass", `x${"{\\an".repeat(15_000)}`.slice(0, 16_000));
    expect(cpuMs() - startedAt).toBeLessThan(1000);
  });
});

test("SubRip, WebVTT and timed text keep the markup that players may see", () => {
  expect(cue("subrip", "{\\an8}<i>a</i> <script>b</script> {\\pos(1,2)}c")).toEqual(["line:0", "<i>a</i> b c"]);
  expect(cue("webvtt", "<v Anna>a", "line:0 region:x align:start")).toEqual(["line:0 align:start", "<v Anna>a</v>"]);
  expect(cue("mov_text", "<b>a</b> &lt;b")).toEqual(["", "<b>a</b> &lt;b"]);
});

test("cues without length or text are skipped and counted, and without any there are no captions", () => {
  const { cues, skipped } = readEmbedded("subrip", {
    cues: [
      [2000, 3000, "late", ""],
      [500, 500, "no length", ""],
      [0, 1000, "{\\an8}", ""],
      [0, 1000, "early", ""],
    ],
  });
  expect([cues.map(({ text }) => text), skipped]).toEqual([["early", "late"], 2]);
  expect(() => readEmbedded("ass", { cues: [[0, 1, "{\\p1}m 0 0", ""]] })).toThrow(CaptionsError);
});
