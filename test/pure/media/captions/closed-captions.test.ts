import { describe, expect, test } from "vitest";
import { type CcChannel, ClosedCaptions } from "../../../../protocol/media/captions/closed-captions.ts";
import type { Cue } from "../../../../protocol/media/captions/cue.ts";
import {
  channelWords,
  dtvcc,
  packetTriplets,
  PADDING,
  textWords,
  triplet,
  type Word,
} from "../../../support/cc-writer.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

const FRAME_MS = 1001 / 30;
type Shown = [channel: CcChannel, start: number, end: number, text: string];

/** Sends a picture's triplets for each time of the list, and idle ones up to the end. Frames, not milliseconds. */
function decode(pictures: Map<number, number[][]>, frames: number): Shown[] {
  const shown: Shown[] = [];
  const frameOf = (ms: number) => Math.round(ms / FRAME_MS);
  const captions = new ClosedCaptions((channel, { startMs, endMs, text }: Cue) =>
    shown.push([channel, frameOf(startMs), frameOf(endMs), text]),
  );
  for (let frame = 0; frame < frames; frame += 1)
    captions.push(Uint8Array.from((pictures.get(frame) ?? [triplet(0, PADDING)]).flat()), frame * FRAME_MS);
  captions.end(frames * FRAME_MS);
  return shown;
}

/** One word a frame, from each of the given frames on. */
function inFrames(field: 0 | 1, ...starts: [frame: number, words: Word[]][]): Map<number, number[][]> {
  return new Map(
    starts.flatMap(([first, words]) => words.map((word, n) => [first + n, [triplet(field, word)]] as const)),
  );
}

describe("CEA-608", () => {
  const cc1 = channelWords(1);

  test("a pop-on caption is shown when it is complete, and ends when it is erased or replaced", () => {
    const [one, two] = [cc1.popOn("First row", "second"), cc1.popOn("Next")];
    const shown = decode(inFrames(0, [10, one], [100, two], [200, cc1.erase()]), 240);
    // Both words of a doubled control code arrive; the first one has the effect.
    expect(shown).toEqual([
      ["CC1", 10 + one.length - 2, 100 + two.length - 2, "First row\nsecond"],
      ["CC1", 100 + two.length - 2, 200, "Next"],
    ]);
  });

  test("a roll-up row is one cue from its first character on, with the rows above it", () => {
    const rows = [cc1.rollUp("ONE"), cc1.rollUp("TWO"), cc1.rollUp("THREE")];
    const shown = decode(inFrames(0, [0, rows[0]!], [60, rows[1]!], [120, rows[2]!], [180, cc1.erase()]), 200);
    expect(shown).toEqual([
      ["CC1", 6, 66, "ONE"],
      ["CC1", 66, 122, "ONE\nTWO"],
      ["CC1", 122, 180, "TWO\nTHREE"],
    ]);
  });

  test("a pause within a row begins a cue, so that what is said later is not shown before", () => {
    const shown = decode(inFrames(0, [0, cc1.rollUp("WAIT")], [60, textWords(" FOR IT")]), 100);
    expect(shown).toEqual([
      ["CC1", 6, 60, "WAIT"],
      ["CC1", 60, 100, "WAIT FOR IT"],
    ]);
  });

  test("paint-on text is one cue, and an extended character replaces the one before it", () => {
    const words = [...cc1.paintOn("Cafe"), ...cc1.twice(0x12, 0x21), ...textWords(" noir")];
    expect(decode(inFrames(0, [0, words]), 60)).toEqual([["CC1", 4, 60, "CafÉ noir"]]);
  });

  test.each([2, 3, 4] as const)("channel %d has its own captions", (channel) => {
    const words = channelWords(channel).popOn("Only here");
    expect(decode(inFrames(channel > 2 ? 1 : 0, [5, words]), 60)).toEqual([
      [`CC${channel}`, 5 + words.length - 2, 60, "Only here"],
    ]);
  });

  test("two channels of a field, whose words alternate, do not mix", () => {
    const [one, two] = [channelWords(3), channelWords(4)];
    const first = [...one.command(0x20), ...one.command(0x2e), ...one.preamble(15), ...textWords("English")];
    const words = [...first, ...two.popOn("Español".replace("ñ", "n")), ...one.command(0x2f)];
    expect(
      decode(inFrames(1, [0, words]), 80)
        .map(([channel, , , text]) => `${channel} ${text}`)
        .toSorted(),
    ).toEqual(["CC3 English", "CC4 Espanol"]);
  });

  test("text services and extended data are no captions", () => {
    const text = [...channelWords(1).command(0x2b), ...textWords("weather")];
    expect(decode(inFrames(0, [0, text], [20, cc1.popOn("Caption")]), 80).map(([, , , shown]) => shown)).toEqual([
      "Caption",
    ]);
    const data: Word[] = [[0x01, 0x03], ...textWords("TITLE!"), [0x0f, 0x1d]];
    const cc3 = channelWords(3);
    const loading = [...cc3.command(0x20), ...cc3.preamble(15), ...textWords("be")];
    const words = [...loading, ...data, ...cc3.command(0x20), ...textWords("fore"), ...cc3.command(0x2f)];
    expect(decode(inFrames(1, [0, words]), 80).map(([, , , shown]) => shown)).toEqual(["before"]);
  });

  test("a control code whose first copy is damaged has its effect with the second, and damaged characters are left out", () => {
    const words = cc1.popOn("Damaged");
    const pictures = inFrames(0, [0, words]);
    for (const [frame, at] of [
      [0, 1], // the first copies of "resume caption loading", and of "end of caption"
      [words.length - 2, 2],
      [6, 2], // the "a" of "Da"
    ] as const)
      pictures.get(frame)![0]![at]! ^= 0x80;
    expect(decode(pictures, 60)).toEqual([["CC1", words.length - 1, 60, "Dmaged"]]);
  });

  test("a lost end of caption delays a caption, and costs no other", () => {
    const lost = cc1.popOn("Lost").slice(0, -2);
    const shown = decode(inFrames(0, [0, cc1.popOn("One")], [30, lost], [60, cc1.popOn("Two")]), 100);
    expect(shown.map(([, , , text]) => text)).toEqual(["One", "Two"]);
  });

  test("roll-up rows move with their base row, and a caption says where it stands", () => {
    const cues: Cue[] = [];
    const captions = new ClosedCaptions((_, cue) => cues.push(cue));
    const words = [...cc1.rollUp("BELOW"), ...cc1.preamble(1), ...textWords("ABOVE")];
    for (const [n, word] of words.entries()) captions.push(Uint8Array.from(triplet(0, word)), n * FRAME_MS);
    captions.end(5000);
    expect(cues.map(({ text, settings }) => [text, settings])).toEqual([
      ["ABOVE", "line:15% position:10% align:start"],
    ]);
  });
});

describe("CEA-708", () => {
  const { text, window, display, hide, remove, reset, carriageReturn } = dtvcc;

  test("hidden windows are shown when they are displayed, in the order of their place", () => {
    const shown = decode(
      new Map([
        [0, packetTriplets([...window(0), ...text("Below")])],
        [1, packetTriplets([...window(1, { isAtTop: true }), ...text("Above")])],
        [30, packetTriplets([0x89, 3])],
        [60, packetTriplets(hide(0))],
        [90, packetTriplets([...remove(0), ...remove(1)])],
      ]),
      120,
    );
    expect(shown).toEqual([
      ["SERVICE1", 30, 60, "Above\nBelow"],
      ["SERVICE1", 60, 90, "Above"],
    ]);
  });

  test("rows of a visible window roll up, and a reset ends them", () => {
    const shown = decode(
      new Map([
        [0, packetTriplets([...window(0, { isVisible: true }), ...text("ONE")])],
        [40, packetTriplets([carriageReturn, ...text("TWO")])],
        [80, packetTriplets([carriageReturn, ...text("THREE")])],
        [110, packetTriplets([reset])],
      ]),
      120,
    );
    expect(shown.map(([, from, to, words]) => [from, to, words])).toEqual([
      [0, 40, "ONE"],
      [40, 80, "ONE\nTWO"],
      [80, 110, "TWO\nTHREE"],
    ]);
  });

  test("services do not mix, and characters of every set are read", () => {
    const french = [...window(0), ...text("D"), 0xe9, 0x10, 0x33, ...text("j"), 0xe0, 0x10, 0x34, 0x7f, ...display(0)];
    const shown = decode(
      new Map([
        [0, packetTriplets(french, { service: 2 })],
        [1, packetTriplets([...window(0), 0x18, 0x65, 0xe5, ...display(0)], { service: 3 })],
      ]),
      30,
    );
    expect(shown.map(([service, , , words]) => [service, words])).toEqual([
      ["SERVICE2", "Dé“jà”♪"],
      ["SERVICE3", "日"],
    ]);
  });

  test("a command that is cut by the end of a packet continues in the next one", () => {
    const codes = [...window(0, { isVisible: true }), ...text("cut")];
    const shown = decode(
      new Map([
        [0, packetTriplets(codes.slice(0, 4))],
        [1, packetTriplets(codes.slice(4), { sequence: 1 })],
      ]),
      30,
    );
    expect(shown.map(([, , , words]) => words)).toEqual(["cut"]);
  });

  test("a packet whose end is lost is dropped, and the next one is read", () => {
    const pictures = new Map([
      [0, packetTriplets([...window(0, { isVisible: true }), ...text("lost")]).slice(0, -2)],
      [1, packetTriplets([...window(0, { isVisible: true }), ...text("kept")])],
    ]);
    expect(decode(pictures, 30).map(([, , , words]) => words)).toEqual(["kept"]);
  });
});

test("any words leave the decoders working, in bounded time and memory", () => {
  let state = 1;
  const random = () => (state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff) >> 8;
  let longest = 0;
  let count = 0;
  const captions = new ClosedCaptions((_, { text }) => {
    count += 1;
    longest = Math.max(longest, text.length);
  });
  const startedAt = cpuMs();
  for (let frame = 0; frame < 30_000; frame += 1) {
    const words = Uint8Array.from({ length: 24 }, (_, n) => (n % 3 === 0 ? 0xfc | (random() & 3) : random() & 0xff));
    captions.push(words, frame * FRAME_MS);
  }
  captions.end(30_000 * FRAME_MS);
  expect(count).toBeGreaterThan(100);
  expect(longest).toBeLessThan(64 << 10);
  expect(cpuMs() - startedAt).toBeLessThan(20_000);
});
