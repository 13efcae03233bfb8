/** `node large-captions-child.ts CASE`: reads the largest file of a kind that is accepted, and prepares its segments and whole files. */
import { readCaptions } from "../../src/media/captions/read-captions.ts";
import { cutSegments } from "../../src/media/captions/segments.ts";
import { timestamp } from "../../src/media/captions/timestamps.ts";
import { writeSrt, writeTxt, writeVtt } from "../../src/media/captions/write.ts";

const CUES = 100_000;
const repeat = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join("");
const attributes = repeat(250, (i) => `a${i}="12345678" `);
const timing = (i: number) => `${timestamp(i * 1000)} --> ${timestamp(i * 1000 + 900)}`;

const FILES: Record<string, () => string> = {
  "TTML of 100,000 paragraphs": () =>
    `<tt><body>${repeat(CUES, (i) => `<p begin="${i}s" end="${i + 0.9}s">Some &amp; more ${i}</p>\n`)}</body></tt>`,
  "TTML with 375,000 attributes in a paragraph": () =>
    `<tt><body><p begin="0s" end="1s">${repeat(1500, () => `<span ${attributes}>a</span>`)}</p></body></tt>`,
  "TTML with 49,000 styles": () =>
    `<tt><head><styling>${repeat(49_000, (i) => `<style id="s${i}" color="red"/>`)}</styling></head><body><p begin="0s" end="1s">a</p></body></tt>`,
  "WebVTT of 100,000 cues": () => `WEBVTT\n\n${repeat(CUES, (i) => `${timing(i)}\n<i>Some</i> & more ${i}\nx\n\n`)}`,
  "WebVTT of 1,900,000 lines": () => `WEBVTT\n${"a\n".repeat(1_900_000)}\n00:00.000 --> 00:01.000\nx\n`,
  "SRT of 100,000 cues": () => repeat(CUES, (i) => `${i}\n${timing(i).replaceAll(".", ",")}\nSome & more ${i}\n\n`),
  "SCC of 1,386,000 words": () =>
    `Scenarist_SCC V1.0\n\n00:00:00:00\t${`9420 ${"c1c2 ".repeat(12)}942f `.repeat(99_000)}`,
};

const name = process.argv[2] ?? "";
if (!Object.hasOwn(FILES, name)) {
  console.log(JSON.stringify(Object.keys(FILES)));
} else {
  const { cues } = readCaptions(Buffer.from(FILES[name]!()), "en");
  const { lengths } = cutSegments(cues);
  const sizes = [writeVtt, writeSrt, writeTxt].map((write) => write(cues).length);
  console.log(JSON.stringify({ cues: cues.length, segments: lengths.length, sizes }));
}
