/** Tests the first second of a session, which determines the startup delay. */
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { expect, test } from "vitest";
import { checkParts } from "../../support/live-checks.ts";
import { broadcast, broadcastOf, decodeTicksOf, fileOf, H264, type Made, partsOf, PLAN } from "../../support/live.ts";
import { decodePictures, decodeSound } from "../../support/rendition.ts";

Log.setLevel(AV_LOG_QUIET);
const SANE = "-c:v libx264 -preset ultrafast -bf 0 -b:v 200k -maxrate 200k -bufsize 200k";
const short = async (words: string, more = {}) => broadcast(await broadcastOf(words), { isFirstShort: true, ...more });

const meanDifference = (one: Buffer, other: Buffer): number =>
  one.reduce((sum, value, i) => sum + Math.abs(value - other[i]!), 0) / one.length;

const lengthsOf = (made: Made, name: string) => {
  const { timescale } = made.started[0]!.renditions.find((one) => one.name === name)!;
  const bySegment = Map.groupBy(partsOf(made, name), ({ facts }) => facts.msn);
  return [...bySegment.values()].map(
    (parts) => parts.reduce((sum, { facts }) => sum + facts.durationTicks, 0) / timescale,
  );
};

test.each([
  ["all is encoded", `$STRIP -t 6 ${H264} -c:a aac -f flv`, true],
  ["all is encoded, at 25 a second", `$STRIP -r 25 -t 6 ${H264} -c:a aac -f mpegts`, true],
  ["the source is copied and has a key frame each second", `$STRIP -t 6 ${SANE} -g 30 -c:a aac -f flv`, false],
  ["the source is copied and has a key frame each two seconds", `$STRIP -t 6 ${SANE} -g 60 -c:a aac -f flv`, false],
  ["the source could be copied but for its key frames", `$STRIP -t 6 ${SANE} -g 90 -c:a aac -f flv`, false],
])("%s: every rendition has a first segment of one second, and one init segment", async (_, words, encodesTopRung) => {
  const lengths = [1, 1, 2, 2];
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
});

test.each([
  ["each second", 30, true],
  ["each two seconds", 60, true],
  ["away from segment starts", 45, false],
])(
  "a source with key frames %s is encoded for two seconds, then copied bit by bit if possible",
  async (_, gop, isCopied) => {
    const words = `$STRIP -t 6 ${SANE} -g ${gop} -c:a aac -f flv`;
    const made = await short(words, { encodesTopRung: false });
    const source = await decodePictures(await broadcastOf(words));
    const pictures = await decodePictures(fileOf(made, "v480"));
    const difference = pictures.map(({ luma }, i) => meanDifference(luma, source[i]!.luma));
    expect(pictures.length).toBe(180);
    expect(Math.max(...difference)).toBeLessThan(3);
    expect(Math.min(...difference.slice(0, 60))).toBeGreaterThan(0);
    expect(difference.slice(60).every((one) => one === 0)).toBe(isCopied);
    const keys = partsOf(made, "v480").filter(({ facts }) => facts.part === 0);
    expect(keys.every(({ facts }) => facts.isIndependent && !facts.isDiscontinuous)).toBe(true);
    expect(made.started[0]!.renditions[0]!.codec).toBe(
      made.inits.find(({ rendition }) => rendition === "v480")!.facts.codec,
    );
  },
);

test("sound without a picture also has a short first segment, with valid parts of 200 ms", async () => {
  const made = await short("-f lavfi -i sine=r=48000 -t 6 -c:a aac -f flv");
  expect(
    lengthsOf(made, "a1")
      .map((seconds) => Math.round(10 * seconds) / 10)
      .slice(0, 4),
  ).toEqual([1, 1, 2, 2]);
  const parts = await short(`$STRIP -t 6 ${SANE} -g 30 -c:a aac -f flv`, {
    encodesTopRung: false,
    settings: { ...PLAN.settings, partTargetMs: 200 },
  });
  checkParts(parts, 200);
  expect(lengthsOf(parts, "v480")).toEqual([1, 1, 2, 2]);
});

/** In bits per second, of every sequence of segments that lasts half to one and a half target durations (RFC 8216bis §4.4.6.2, BANDWIDTH). */
function peaksOf(made: Made, name: string): number[] {
  const lengths = lengthsOf(made, name);
  const segments = [...Map.groupBy(partsOf(made, name), ({ facts }) => facts.msn).values()];
  const bits = segments.map((parts) => parts.reduce((sum, { bytes }) => sum + 8 * bytes.length, 0));
  const sum = (values: number[], from: number, to: number) => values.slice(from, to).reduce((all, one) => all + one, 0);
  return lengths.flatMap((_, from) =>
    lengths.flatMap((_length, i) => {
      const seconds = sum(lengths, from, i + 1);
      const isMeasured = i >= from && seconds >= 1 && seconds <= 3;
      return isMeasured ? [sum(bits, from, i + 1) / seconds] : [];
    }),
  );
}

test("the short first segment stays within the announced bitrate", async () => {
  const noise = "-f lavfi -i testsrc2=size=640x96:rate=30 -vf noise=alls=100:allf=t+u";
  const made = await short(`${noise} -t 4 -c:v libx264 -preset ultrafast -qp 18 -pix_fmt yuv420p -f mpegts`);
  for (const { name, bitrateBps } of made.started[0]!.renditions) {
    const peaks = peaksOf(made, name);
    expect(peaks.length).toBeGreaterThan(2);
    expect(Math.max(...peaks)).toBeLessThanOrEqual(1.02 * bitrateBps); // boxes
  }
});
