import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { expect, test } from "vitest";
import { checkParts } from "../../support/live-checks.ts";
import { broadcast, broadcastOf, decodeTicksOf, fileOf, H264, type Made, partsOf, PLAN } from "../../support/live.ts";
import { decodePictures, decodeSound } from "../../support/rendition.ts";

Log.setLevel(AV_LOG_QUIET);
const SANE = `${H264} -b:v 200k -maxrate 200k -bufsize 200k`;
/** Encoded rungs have High profile. The sources here have other profiles, which identify a copied rung. */
const isCopied = (made: Made, version = 0): boolean => {
  const initOf = (wanted: number) => made.inits.find((one) => one.rendition === "v480" && one.version === wanted)!;
  const [first, init] = [initOf(0), initOf(version)];
  return !first.facts.codec.startsWith("avc1.64") && init.bytes.equals(first.bytes);
};
const copied = async (words: string, plan = {}, isFinal = true) =>
  broadcast(await broadcastOf(words), { encodesTopRung: false, ...plan }, { isFinal });

test.each([
  ["FLV", "-f flv"],
  ["MPEG-TS", "-f mpegts"],
  ["fragmented MP4", "-movflags frag_keyframe+empty_moov -f mp4"],
])("%s: suitable H.264 is copied bit by bit as the top rung, aligned with the encoded rungs", async (_, container) => {
  const words = `$STRIP -t 6 ${SANE} -c:a aac ${container}`;
  const made = await copied(words);
  checkParts(made);
  expect(isCopied(made)).toBe(true);
  expect(made.inits.length).toBe(3);
  const source = await decodePictures(await broadcastOf(words));
  const pictures = await decodePictures(fileOf(made, "v480"));
  expect(pictures.length).toBe(180);
  expect(pictures.every(({ luma }, i) => luma.equals(source[i]!.luma))).toBe(true);
  for (const [i, { timeSeconds }] of pictures.entries()) expect(timeSeconds).toBeCloseTo(i / 30, 4);
  const starts = (name: string) =>
    partsOf(made, name).map(({ facts, bytes }) => [facts.msn, facts.part, decodeTicksOf(bytes)]);
  expect(starts("v480")).toEqual(starts("v270"));
  expect((await decodePictures(fileOf(made, "v270"))).length).toBe(180);
  expect((await decodeSound(fileOf(made, "a1"))).startSeconds).toBeCloseTo(0, 1);
});

test("a broadcast that ends between two parts ends on the same picture in copied and encoded rungs", async () => {
  const made = await copied(`$STRIP -t 3.5 ${SANE} -c:a aac -f flv`);
  checkParts(made);
  expect(isCopied(made)).toBe(true);
  for (const name of ["v480", "v270"]) expect((await decodePictures(fileOf(made, name))).length).toBe(106);
  const seconds = (name: string, timescale: number) =>
    partsOf(made, name).reduce((sum, { facts }) => sum + facts.durationTicks, 0) / timescale;
  expect(seconds("v480", 120_000)).toBe(seconds("v270", 120_000));
});

test.each([
  [
    "may reconnect leaves a last segment of at least a second in every rendition, with the picture repeated",
    false,
    151,
  ],
  ["does not reconnect ends with the last picture", true, 129],
])("a broadcaster who %s", async (_, isFinal, pictures) => {
  const made = await copied(`$STRIP -t 4.3 ${SANE} -c:a aac -f flv`, {}, isFinal);
  checkParts(made);
  expect(isCopied(made)).toBe(true);
  const source = await decodePictures(await broadcastOf(`$STRIP -t 4.3 ${SANE} -c:a aac -f flv`));
  const shown = await decodePictures(fileOf(made, "v480"));
  expect([shown.length, (await decodePictures(fileOf(made, "v270"))).length]).toEqual([pictures, pictures]);
  expect(shown.every(({ luma }, i) => luma.equals(source[Math.min(i, source.length - 1)]!.luma))).toBe(true);
  const { timescale } = made.inits.find(({ rendition }) => rendition === "a1")!.facts;
  const sound = partsOf(made, "a1").reduce((sum, { facts }) => sum + facts.durationTicks, 0) / timescale;
  expect(Math.abs(sound - pictures / 30)).toBeLessThan(0.024); // an AAC frame
});

test.each([
  ["reordered pictures", `${SANE} -bf 2 -b_strategy 0`],
  ["4:4:4", `${SANE} -pix_fmt yuv444p`],
  ["full-range video", `${SANE} -vf scale=out_range=pc -color_range pc -pix_fmt yuv420p`],
  ["non-square pixels", `${SANE} -vf scale=480:480,setsar=4/3`],
  ["fields", `${SANE} -flags +ilme+ildct -x264opts tff=1`],
  ["another codec", "-c:v mpeg2video -g 30 -bf 0 -b:v 1M"],
  ["an undefined level", `${SANE} -bsf:v h264_metadata=level=33`],
])("%s: all rungs are encoded from the start, without a discontinuity", async (_, codec) => {
  const made = await copied(`$STRIP -t 3 ${codec} -an -f mpegts`);
  checkParts(made);
  expect(isCopied(made)).toBe(false);
  expect(made.inits.every(({ version }) => version === 0)).toBe(true);
});

test.each([
  ["a key frame is missing at a segment start", "-g 75", 60],
  ["pictures are missing", "-vf select='not(between(n,70,90))' -fps_mode passthrough", 70],
  ["the picture is missing for a while", "-vf select='lt(t,2.5)+gt(t,5)' -fps_mode passthrough", undefined],
  [
    "a segment far exceeds the rung's bitrate",
    "-vf noise=alls=90:allf=t:enable='gte(t,2)' -b:v 9M -maxrate 9M",
    undefined,
  ],
])(
  "%s: all rungs are encoded from there on, after a discontinuity, and no picture is lost",
  async (_, words, copiedCount) => {
    const made = await copied(`$STRIP -t 6 ${SANE} ${words} -c:a aac -f mpegts`);
    checkParts(made);
    expect([isCopied(made, 0), isCopied(made, 1)]).toEqual([true, false]);
    expect(made.inits.length).toBe(6);
    const codecs = made.inits.filter(({ rendition }) => rendition === "v480").map(({ facts }) => facts.codec);
    expect(new Set(codecs).size).toBe(1); // players read CODECS only once, from the multivariant playlist
    const pictures = await Promise.all([0, 1].map((version) => decodePictures(fileOf(made, "v480", version))));
    // One more where the last part would be empty.
    expect([180, 181]).toContain(pictures[0]!.length + pictures[1]!.length);
    if (copiedCount !== undefined) expect(pictures[0]!.length).toBe(copiedCount);
    else expect(pictures[0]!.length).toBeLessThan(120);
    const sounds = await Promise.all([0, 1].map((version) => decodeSound(fileOf(made, "a1", version))));
    const samples = sounds.reduce((sum, { samples: { length } }) => sum + length, 0);
    expect(Math.abs(samples / sounds[0]!.sampleRateHz - 6)).toBeLessThan(0.1);
  },
);

const PACKET_BYTES = 188;

/** Offsets of the packets of the picture with this number, from 0, in the stream that ffmpeg writes first. */
function packetsOfPicture(ts: Buffer, number: number): number[] {
  const all = Array.from({ length: ts.length / PACKET_BYTES }, (_, n) => n * PACKET_BYTES);
  const ofVideo = all.filter((at) => (ts.readUInt16BE(at + 1) & 0x1fff) === 0x100);
  const starts = ofVideo.flatMap((at, n) => ((ts[at + 1]! & 0x40) === 0 ? [] : [n]));
  return ofVideo.slice(starts[number], starts[number + 1]);
}

test.each([
  ["half of", 1 / 2],
  ["all but the last packet of", 1],
])(
  "a connection that breaks off after %s a picture ends on the one before, which players can decode",
  async (_, share) => {
    const ts = await broadcastOf(`$STRIP -t 6 ${SANE} -c:a aac -f mpegts`);
    const packets = packetsOfPicture(ts, 100);
    const kept = Math.min(Math.floor(packets.length * share), packets.length - 1);
    expect(kept).toBeGreaterThan(0);
    const made = await broadcast(ts.subarray(0, packets[kept]), { encodesTopRung: false }, { isFinal: false });
    checkParts(made);
    expect([isCopied(made), made.inits.length]).toEqual([true, 3]);
    const source = await decodePictures(ts);
    const shown = await decodePictures(fileOf(made, "v480"));
    expect(shown.every(({ isDamaged }) => !isDamaged)).toBe(true);
    expect(shown.every(({ luma }, n) => luma.equals(source[Math.min(n, 99)]!.luma))).toBe(true);
  },
);

test("a packet that is lost ends the copying before its picture, and every picture can be decoded", async () => {
  const ts = await broadcastOf(`$STRIP -t 6 ${SANE} -c:a aac -f mpegts`);
  const packets = packetsOfPicture(ts, 100);
  const lost = packets[packets.length >> 1]!;
  const rest = Buffer.concat([ts.subarray(0, lost), ts.subarray(lost + PACKET_BYTES)]);
  const made = await broadcast(rest, { encodesTopRung: false });
  checkParts(made);
  expect([isCopied(made, 0), isCopied(made, 1)]).toEqual([true, false]);
  const pictures = await Promise.all([0, 1].map((version) => decodePictures(fileOf(made, "v480", version))));
  expect(pictures[0]!.length).toBe(100);
  expect(pictures.flat().every(({ isDamaged }) => !isDamaged)).toBe(true);
  expect([180, 181]).toContain(pictures.flat().length);
});

test("a change of parameter sets ends the copying, since the first ones cannot decode later pictures", async () => {
  const first = await broadcastOf(`$STRIP -t 3 ${SANE} -an -f mpegts`);
  const second = await broadcastOf(
    `$STRIP -t 3 -output_ts_offset 3 ${SANE} -refs 3 -tune zerolatency -coder 1 -an -f mpegts`,
  );
  const made = await broadcast(Buffer.concat([first, second]), { encodesTopRung: false });
  checkParts(made);
  expect([isCopied(made, 0), isCopied(made, 1)]).toEqual([true, false]);
  const pictures = await Promise.all([0, 1].map((version) => decodePictures(fileOf(made, "v480", version))));
  expect(pictures[0]!.length + pictures[1]!.length).toBeGreaterThanOrEqual(180);
});

test("a timestamp jump starts a discontinuity, and copying continues", async () => {
  const first = await broadcastOf(`$STRIP -t 3 ${SANE} -c:a aac -f mpegts`);
  const second = await broadcastOf(`$STRIP -t 3 -output_ts_offset 9000 ${SANE} -c:a aac -f mpegts`);
  const made = await broadcast(Buffer.concat([first, second]), { encodesTopRung: false });
  checkParts(made);
  expect([isCopied(made, 0), isCopied(made, 1)]).toEqual([true, true]);
});

test.each([
  ["60", 200],
  ["24000/1001", 500],
])("at %s fps a copied rung has valid part durations for a target of %s ms", async (rate, partTargetMs) => {
  const settings = { ...PLAN.settings, partTargetMs };
  const input = `-f lavfi -i testsrc2=size=640x96:rate=${rate} -t 4`;
  const made = await copied(`${input} ${SANE} -g 48 -force_key_frames expr:gte(t,n_forced*2) -pix_fmt yuv420p -f flv`, {
    settings,
  });
  checkParts(made, partTargetMs);
  expect(isCopied(made)).toBe(true);
  expect(partsOf(made, "v480")[0]!.facts.durationTicks).toBe(partsOf(made, "v270")[0]!.facts.durationTicks);
});
