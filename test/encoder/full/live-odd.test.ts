import { spawnSync } from "node:child_process";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { expect, test } from "vitest";

import { checkParts } from "../../support/live-checks.ts";
import { broadcast, broadcastOf, fileOf, H264, type Made, partsOf } from "../../support/live.ts";
import { type DecodedPicture, decodePictures, decodeSound, loudness, psnr } from "../../support/rendition.ts";

Log.setLevel(AV_LOG_QUIET);
/** Sources of any kind, which may or may not be copied. */
const taken = async (...words: string[]) =>
  broadcast(Buffer.concat(await Promise.all(words.map((one) => broadcastOf(one)))), { encodesTopRung: false });
const SMALL = "-vf scale=320:240";
const picturesOf = async (made: Made, name = "v270") => {
  const versions = [...new Set(made.inits.map(({ version }) => version))];
  const all = await Promise.all(versions.map((version) => decodePictures(fileOf(made, name, version))));
  return all.flat();
};

test.each([
  ["H.264", `${H264} -flags +ilme+ildct -x264opts tff=1 -pix_fmt yuv420p`],
  ["MPEG-2", "-c:v mpeg2video -q:v 2 -flags +ilme+ildct -g 30"],
])("interlaced %s is deinterlaced at the same rate", async (_, codec) => {
  const moving = "-f lavfi -i testsrc2=size=320x240:rate=60 -t 2";
  const made = await taken(`${moving} -vf tinterlace=interleave_top,setfield=tff ${codec} -f mpegts`);
  checkParts(made);
  const pictures = await picturesOf(made);
  expect(pictures.length).toBeGreaterThanOrEqual(59);
  expect(pictures.length).toBeLessThanOrEqual(61);
  const whole = await decodePictures(await broadcastOf(`${moving} -r 30 ${H264} -crf 5 -pix_fmt yuv420p -f mpegts`));
  // Interlaced fields leave combing: adjacent lines differ far more than lines that are two apart.
  expect(combing(pictures[30]!)).toBeLessThan(1.25 * combing(whole[30]!));
});

/** Ratio of a line's difference from the next line to its difference from the line after that. */
function combing({ luma, widthPx, heightPx }: DecodedPicture): number {
  let [near, far] = [1, 1];
  for (let i = 0; i < widthPx * (heightPx - 2); i++) {
    near += Math.abs(luma[i]! - luma[i + widthPx]!);
    far += Math.abs(luma[i]! - luma[i + 2 * widthPx]!);
  }
  return near / far;
}

test("a rotated picture is turned upright and never copied", async () => {
  const upright = await broadcastOf(`$IN -t 3 ${H264} -an -movflags frag_keyframe+empty_moov -f mp4`);
  const matrix = upright.indexOf("tkhd", 0, "latin1") + 4 + 4 + 5 * 4 + 4 * 4; // ISO/IEC 14496-12 §8.3.2
  const turned = Buffer.from(upright);
  for (const [i, value] of [0, 0x10000, 0, -0x10000, 0, 0].entries()) turned.writeInt32BE(value, matrix + 4 * i);
  const made = await broadcast(turned, { encodesTopRung: false });
  checkParts(made);
  const { facts } = made.inits.find(({ rendition }) => rendition === "v480")!;
  expect([facts.widthPx, facts.heightPx]).toEqual([480, 640]);
  const [first] = await decodePictures(fileOf(made, "v480"));
  const [source] = await decodePictures(upright);
  const clockwise = Buffer.alloc(480 * 640);
  for (let y = 0; y < 480; y++) for (let x = 0; x < 640; x++) clockwise[x * 480 + 479 - y] = source!.luma[y * 640 + x]!;
  expect(psnr(first!.luma, clockwise)).toBeGreaterThan(30);
});

const HEVC = "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=30:bframes=0";
test.each([
  ["H.264 to HEVC", HEVC],
  ["H.264 to MPEG-2", "-c:v mpeg2video -g 30 -b:v 1M"],
])("%s on one PID of a transport stream continues after a discontinuity", async (_, codec) => {
  const made = await taken(
    `$IN -t 3 ${SMALL} ${H264} -c:a aac -f mpegts`,
    `$IN -t 3 -output_ts_offset 3 ${SMALL} ${codec} -c:a aac -f mpegts`,
  );
  checkParts(made);
  const segments = partsOf(made, "v270").filter(({ facts }) => facts.part === 0);
  expect(segments.filter(({ facts }) => facts.isDiscontinuous).length).toBeGreaterThanOrEqual(1);
  // libav loses the first picture after the change, and with it a GOP of one second.
  expect((await picturesOf(made)).length).toBeGreaterThanOrEqual(145);
});

test.each([
  ["timestamps that begin at zero", `${H264} -muxdelay 0 -muxpreload 0 -avoid_negative_ts make_zero -f mpegts`, 30],
  [
    "timestamps below zero",
    `${H264} -output_ts_offset -2 -avoid_negative_ts disabled -movflags frag_keyframe+empty_moov -f mp4`,
    30,
  ],
  ["33 bits of time that begin anew midway", `${H264} -output_ts_offset 95441 -f mpegts`, 30],
  ["HEVC in MPEG-TS", `${HEVC} -f mpegts`, 30],
  ["B-frames", "-c:v libx264 -preset ultrafast -g 30 -bf 3 -f flv", 30],
  ["10 frames a second", `${H264} -r 10 -f flv`, 10],
  ["24000/1001 frames a second", `${H264} -r 24000/1001 -f flv`, 24_000 / 1001],
  ["50 frames a second", `${H264} -r 50 -f mpegts`, 50],
  ["60 frames a second", `${H264} -r 60 -f mpegts`, 60],
])("%s: one timeline with every picture and its sound", async (_, words, rate) => {
  const made = await taken(`$IN -t 4 ${SMALL} -c:a aac ${words}`);
  checkParts(made);
  const pictures = await picturesOf(made);
  expect(pictures.length / rate).toBeGreaterThan(3.85);
  expect(pictures.length / rate).toBeLessThan(4.15);
  const isSeamless = !made.parts.some(({ facts }) => facts.isDiscontinuous);
  if (isSeamless) expect(loudness(await decodeSound(fileOf(made, "a1")), 1, 3)).toBeGreaterThan(0.001);
  expect(isSeamless).toBe(true);
});

test("HEVC in FLV (enhanced RTMP) is decoded", async () => {
  const matroska = await broadcastOf(`$IN -t 3 ${SMALL} ${HEVC} -c:a aac -f matroska`);
  await using folder = await mkdtempDisposable(join(tmpdir(), "sluice-live-"));
  const path = join(folder.path, "hevc.flv");
  spawnSync(process.execPath, ["test/gateway/libav-broadcaster.ts", "flv", path], { input: matroska });
  const made = await broadcast(await readFile(path), { encodesTopRung: false });
  checkParts(made);
  expect(made.started[0]!.video!.codec).toBe("hevc");
  expect([90, 91]).toContain((await picturesOf(made)).length);
});

test("frames with irregular times are output at a constant rate with the same duration", async () => {
  const irregular = "-vf scale=320:240,setpts=(PTS+0.02*random(1)/TB) -fps_mode passthrough -enc_time_base 0.001";
  const made = await taken(`$IN -t 4 ${irregular} ${H264} -c:a aac -f flv`);
  checkParts(made);
  const { num, den } = made.started[0]!.frameRate!;
  expect(((await picturesOf(made)).length * den) / num).toBeCloseTo(4, 0);
  expect(made.parts.some(({ facts }) => facts.isDiscontinuous)).toBe(false);
});

test("sound that changes rate and channels midway keeps its rendition, without a gap", async () => {
  const made = await taken(
    `$IN -t 3 ${SMALL} ${H264} -c:a aac -ar 48000 -ac 2 -f mpegts`,
    `$IN -t 3 -output_ts_offset 3 ${SMALL} ${H264} -c:a aac -ar 32000 -ac 1 -f mpegts`,
  );
  checkParts(made);
  const sound = await decodeSound(fileOf(made, "a1"));
  expect([sound.sampleRateHz, sound.channels]).toEqual([48_000, 2]);
  expect(sound.largestHoleSeconds).toBeLessThan(0.001);
  expect(Math.abs(sound.samples.length / sound.sampleRateHz - 6)).toBeLessThan(0.1);
  for (const from of [0.5, 3.5]) expect(loudness(sound, from, from + 2)).toBeGreaterThan(0.001);
});

test("a timestamp jump of hours causes one discontinuity, not hours of repeated picture", async () => {
  const made = await taken(
    `$IN -t 2 ${SMALL} ${H264} -c:a aac -f mpegts`,
    `$IN -t 2 -output_ts_offset 36000 ${SMALL} ${H264} -c:a aac -f mpegts`,
  );
  checkParts(made);
  expect(made.end.seconds).toBeLessThan(5);
  expect(partsOf(made, "v270").filter(({ facts }) => facts.part === 0 && facts.isDiscontinuous).length).toBe(1);
  expect(made.openings.map(({ because }) => because)).toContain("its timestamps jumped");
});
