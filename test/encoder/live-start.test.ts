/** The first second of a session, which viewers wait for. */
import { Log } from "node-av";
import { AV_LOG_QUIET } from "node-av/constants";
import { expect, test } from "vitest";
import { checkParts } from "../support/live-checks.ts";
import { broadcast, broadcastOf, decodeTicksOf, fileOf, H264, type Made, partsOf, PLAN } from "../support/live.ts";
import { decodePictures, decodeSound } from "../support/rendition.ts";

Log.setLevel(AV_LOG_QUIET);
const SANE = "-c:v libx264 -preset ultrafast -bf 0 -b:v 900k -maxrate 900k -bufsize 900k";
const short = async (words: string, more = {}) => broadcast(await broadcastOf(words), { isFirstShort: true, ...more });

const lengthsOf = (made: Made, name: string) => {
  const { timescale } = made.started[0]!.renditions.find((one) => one.name === name)!;
  const bySegment = Map.groupBy(partsOf(made, name), ({ facts }) => facts.msn);
  return [...bySegment.values()].map(
    (parts) => parts.reduce((sum, { facts }) => sum + facts.durationTicks, 0) / timescale,
  );
};

test.each([
  ["all is encoded", `$IN -t 5 ${H264} -c:a aac -f flv`, true, [1, 2, 2]],
  ["all is encoded, at 25 a second", `$IN -r 25 -t 5 ${H264} -c:a aac -f mpegts`, true, [1, 2, 2]],
  ["the source is copied and has a key frame each second", `$IN -t 5 ${SANE} -g 30 -c:a aac -f flv`, false, [1, 2, 2]],
  [
    "the source is copied and has a key frame each two seconds",
    `$IN -t 6 ${SANE} -g 60 -c:a aac -f flv`,
    false,
    [2, 2, 2],
  ],
])(
  "%s: the first segment of every rendition is as short as the key frames allow",
  async (_, words, encodesTopRung, lengths) => {
    const made = await short(words, { encodesTopRung });
    checkParts(made);
    expect(made.inits.every(({ version }) => version === 0)).toBe(true);
    for (const name of ["v480", "v270"]) {
      expect(lengthsOf(made, name)).toEqual(lengths);
      const pictures = await decodePictures(fileOf(made, name));
      const seconds = lengths.reduce((sum, length) => sum + length, 0);
      expect(pictures.length).toBe(seconds * (words.includes("-r 25") ? 25 : 30));
    }
    const starts = (name: string, timescale: number) =>
      partsOf(made, name)
        .filter(({ facts }) => facts.part === 0)
        .map(({ bytes }) => decodeTicksOf(bytes) / timescale);
    const [picture, sound] = [starts("v480", 120_000), starts("a1", made.started[0]!.renditions.at(-1)!.timescale)];
    expect(sound.length).toBe(picture.length);
    for (const [i, seconds] of sound.entries()) expect(Math.abs(seconds - picture[i]!)).toBeLessThan(0.0117);
    expect((await decodeSound(fileOf(made, "a1"))).largestHoleSeconds).toBeLessThan(0.001);
  },
);

test("sound alone has a short first segment too, and parts of 200 ms keep their rule in it", async () => {
  const made = await short("-f lavfi -i sine=r=48000 -t 5 -c:a aac -f flv");
  expect(
    lengthsOf(made, "a1")
      .map((seconds) => Math.round(seconds))
      .slice(0, 3),
  ).toEqual([1, 2, 2]);
  const parts = await short(`$IN -t 5 ${SANE} -g 30 -c:a aac -f flv`, {
    encodesTopRung: false,
    settings: { ...PLAN.settings, partTargetMs: 200 },
  });
  checkParts(parts, 200);
  expect(lengthsOf(parts, "v480")).toEqual([1, 2, 2]);
});

test("the first second needs no more than the rate that is announced", async () => {
  const noise = "-f lavfi -i testsrc2=size=854x480:rate=30 -vf noise=alls=100:allf=t+u";
  const made = await short(`${noise} -t 4 -c:v libx264 -preset ultrafast -qp 18 -pix_fmt yuv420p -f mpegts`);
  for (const { name, bitrateBps } of made.started[0]!.renditions) {
    const [first] = [...Map.groupBy(partsOf(made, name), ({ facts }) => facts.msn).values()];
    const bits = first!.reduce((sum, { bytes }) => sum + 8 * bytes.length, 0);
    expect(bits / lengthsOf(made, name)[0]!).toBeLessThanOrEqual(1.02 * bitrateBps); // boxes
  }
});
