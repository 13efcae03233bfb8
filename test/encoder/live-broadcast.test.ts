import { expect, test, vi } from "vitest";
import { encodeBroadcast } from "../../encoder/live/broadcast.ts";
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import {
  boxesOf,
  broadcast,
  broadcastOf,
  chunksOf,
  collector,
  decodeTicksOf,
  fileOf,
  FLV,
  H264,
  partsOf,
  PLAN,
  TS,
} from "../support/live.ts";
import { tagsOf } from "../support/flv.ts";
import { checkParts } from "../support/live-checks.ts";
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { decodePictures, decodeSound, loudness, psnr } from "../support/rendition.ts";

Log.setLevel(AV_LOG_QUIET);
const FRIDAY_IN = "$STRIP ";
const FRAGMENTED = `-t 6 ${H264} -c:a aac -movflags frag_keyframe+empty_moov -f mp4`;
const NTP_1970 = 2_208_988_800;

test.each([
  ["FLV", FLV],
  ["MPEG-TS", TS],
  ["fragmented MP4", FRAGMENTED],
])("%s: every picture is output once on the grid, in parts of valid duration, with its sound", async (_, words) => {
  const made = await broadcast(await broadcastOf(FRIDAY_IN + words));
  checkParts(made);
  const [started] = made.started;
  expect(started!.frameRate).toEqual({ num: 30, den: 1 });
  expect(started!.renditions.map(({ name }) => name)).toEqual(["v480", "v270", "a1"]);
  expect(made.inits.map(({ facts }) => facts.frameRate)).toEqual([started!.frameRate, started!.frameRate, null]);
  const sound = await decodeSound(fileOf(made, "a1"));
  for (const name of ["v480", "v270"]) {
    const pictures = await decodePictures(fileOf(made, name));
    expect(pictures.length).toBe(180);
    for (const [i, { timeSeconds }] of pictures.entries()) expect(timeSeconds).toBeCloseTo(i / 30, 4);
    expect(Math.abs(pictures[0]!.timeSeconds - sound.startSeconds)).toBeLessThan(0.025);
  }
  expect(sound.largestHoleSeconds).toBeLessThan(0.001);
  expect(Math.abs(sound.samples.length / sound.sampleRateHz - 6)).toBeLessThan(0.03);
  expect(loudness(sound, 1, 5)).toBeGreaterThan(0.001);
});

test(
  "sound is cut within half an AAC frame of the picture, and no part is longer than the target",
  { tags: ["full"] },
  async () => {
    const made = await broadcast(await broadcastOf(FRIDAY_IN + FLV));
    const starts = (name: string, timescale: number) =>
      partsOf(made, name)
        .filter(({ facts }) => facts.part === 0)
        .map(({ bytes }) => decodeTicksOf(bytes) / timescale);
    const rate = made.started[0]!.renditions.at(-1)!.timescale;
    const [picture, sound] = [starts("v480", 120_000), starts("a1", rate)];
    expect(sound.length).toBe(picture.length);
    for (const [i, seconds] of sound.entries())
      expect(Math.abs(seconds - picture[i]!)).toBeLessThanOrEqual(AAC_FRAME_SAMPLES / 2 / rate);
  },
);

test("each part has its capture time, equal in all renditions", { tags: ["full"] }, async () => {
  const beganMs = Date.now();
  const made = await broadcast(await broadcastOf(FRIDAY_IN + FLV));
  for (const { facts, bytes } of made.parts) {
    const prft = boxesOf(bytes).find(({ type }) => type === "prft")!.body;
    const capturedAtMs = (prft.readUInt32BE(8) - NTP_1970 + prft.readUInt32BE(12) / 2 ** 32) * 1000;
    expect(Number(prft.readBigUInt64BE(16))).toBe(decodeTicksOf(bytes));
    expect(capturedAtMs - facts.capturedAtMs).toBeLessThan(2000);
    expect(capturedAtMs).toBeGreaterThan(beganMs - 1000);
    const ofPicture = partsOf(made, "v480").find((one) => one.facts.msn === facts.msn)!;
    expect(facts.capturedAtMs).toBe(ofPicture.facts.capturedAtMs);
  }
});

test(
  "thumbnails: a JPEG of the first picture and one every 5 s, upright, in square pixels, with capture times",
  { tags: ["full"] },
  async () => {
    const made = await broadcast(await broadcastOf(`$STRIP -t 6 -vf scale=480:480,setsar=4/3 ${H264} -an -f mpegts`));
    const segmentsAtMs = [0, 2].map(
      (msn) => partsOf(made, "v480").find(({ facts }) => facts.msn === msn)!.facts.capturedAtMs,
    );
    expect(made.thumbnails.map(({ capturedAtMs }) => capturedAtMs)).toEqual([segmentsAtMs[0], segmentsAtMs[1]! + 1000]);
    expect(made.thumbnailFailures).toEqual([]);
    const shown = await decodePictures(fileOf(made, "v480"));
    for (const [i, { bytes }] of made.thumbnails.entries()) {
      const [jpeg] = await decodePictures(bytes);
      expect([jpeg!.widthPx, jpeg!.heightPx]).toEqual([640, 480]);
      const limited = Buffer.from(jpeg!.luma.map((value) => Math.round(16 + (value * 219) / 255)));
      expect(psnr(limited, shown[i * 150]!.luma)).toBeGreaterThan(32);
    }
  },
);

test("a source may have only picture or only sound", async () => {
  const silent = await broadcast(await broadcastOf(`$STRIP -t 3 -an ${H264} -f flv`));
  checkParts(silent);
  expect(silent.started[0]!.audio).toBeNull();
  // 90 pictures end between two parts, so one more is added as the last part.
  expect((await decodePictures(fileOf(silent, "v270"))).length).toBe(91);

  const blind = await broadcast(await broadcastOf("$STRIP -t 5 -vn -c:a aac -f mpegts"));
  checkParts(blind);
  expect(blind.started[0]!.renditions.map(({ name }) => name)).toEqual(["a1"]);
  expect(blind.started[0]!.frameRate).toBeNull();
  const sound = await decodeSound(fileOf(blind, "a1"));
  expect(Math.abs(sound.samples.length / sound.sampleRateHz - 5)).toBeLessThan(0.1);
});

test(
  "sound that starts late and ends early is padded with silence to the length of the picture",
  { tags: ["full"] },
  async () => {
    const words = `$STRIP -t 6 ${H264} -af volume=enable='lt(t,2)':volume=0,atrim=start=2:end=3.5 -c:a aac -f mpegts`;
    const made = await broadcast(await broadcastOf(words));
    checkParts(made);
    const sound = await decodeSound(fileOf(made, "a1"));
    expect(Math.abs(sound.startSeconds)).toBeLessThan(0.025);
    expect(Math.abs(sound.samples.length / sound.sampleRateHz - 6)).toBeLessThan(0.03);
    expect(loudness(sound, 0.1, 1.9)).toBeLessThan(0.0005);
    expect(loudness(sound, 2.2, 3.4)).toBeGreaterThan(0.001);
    expect(loudness(sound, 4, 5.9)).toBeLessThan(0.0005);
  },
);

test.each([
  ["forward", 1000],
  ["back", -500],
])("timestamps that jump %s start a discontinuity without delay or loss", { tags: ["full"] }, async (_, bySeconds) => {
  const first = await broadcastOf(`$STRIP -t 3 -output_ts_offset 600 ${H264} -c:a aac -f mpegts`);
  const second = await broadcastOf(`$STRIP -t 3 -output_ts_offset ${600 + bySeconds} ${H264} -c:a aac -f mpegts`);
  const made = await broadcast(Buffer.concat([first, second]));
  checkParts(made);
  const segments = partsOf(made, "v480").filter(({ facts }) => facts.part === 0);
  expect(segments.map(({ facts }) => facts.isDiscontinuous)).toEqual([false, false, true, false]);
  expect(segments.map(({ facts }) => facts.msn)).toEqual([0, 1, 2, 3]);
  const counts = [0, 1].map(async (version) => (await decodePictures(fileOf(made, "v480", version))).length);
  for (const count of await Promise.all(counts)) expect(count).toBeGreaterThanOrEqual(90);
});

test(
  "a picture that changes size midway keeps its renditions, with a new init version after a discontinuity",
  { tags: ["full"] },
  async () => {
    const small = await broadcastOf(`$STRIP -t 3 ${H264} -c:a aac -f mpegts`);
    const large = await broadcastOf(`$STRIP -t 3 -output_ts_offset 3 -vf scale=854:480 ${H264} -c:a aac -f mpegts`);
    const made = await broadcast(Buffer.concat([small, large]));
    checkParts(made);
    expect(made.inits.map(({ rendition, version }) => `${rendition}/${version}`)).toEqual(
      ["0", "1"].flatMap((version) => ["v480", "v270", "a1"].map((name) => `${name}/${version}`)),
    );
    expect(made.inits.filter(({ rendition }) => rendition === "v480").map(({ facts }) => facts.widthPx)).toEqual([
      640, 854,
    ]);
    const after = await decodePictures(fileOf(made, "v480", 1));
    expect(after.every(({ widthPx }) => widthPx === 854)).toBe(true);
    expect(partsOf(made, "v480").find(({ facts }) => facts.initVersion === 1)!.facts.isDiscontinuous).toBe(true);
  },
);

test("a broadcast of 2160p at 60 stays within the cap of 720p", { tags: ["full"] }, async () => {
  const words =
    "-f lavfi -i testsrc2=size=3840x2160:rate=60 -t 1 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -f flv";
  const made = await broadcast(await broadcastOf(words), { settings: { ...PLAN.settings, maxResolution: "720p" } });
  checkParts(made);
  expect(made.started[0]!.renditions.map(({ name, heightPx }) => [name, heightPx])).toEqual([
    ["v720", 720],
    ["v480", 480],
    ["v270", 270],
  ]);
  expect((await decodePictures(fileOf(made, "v720"))).length).toBe(61); // and one as the last part
});

test("a short gap in the timestamps is filled with the previous picture", { tags: ["full"] }, async () => {
  const words = `$STRIP -t 4 -an -vf select='not(between(n,40,70))' -fps_mode passthrough ${H264} -f flv`;
  const made = await broadcast(await broadcastOf(words));
  checkParts(made);
  const pictures = await decodePictures(fileOf(made, "v480"));
  expect(pictures.length).toBe(120);
  const isSame = (a: Buffer, b: Buffer) => a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0) / a.length < 2;
  expect(isSame(pictures[45]!.luma, pictures[65]!.luma)).toBe(true);
});

test(
  "a missing picture is repeated while the sound continues, until the picture returns",
  { tags: ["full"] },
  async () => {
    const words = `$STRIP -t 8 -vf select='lt(t,2)+gt(t,6)' -fps_mode passthrough ${H264} -c:a aac -f flv`;
    const made = await broadcast(await broadcastOf(words));
    checkParts(made);
    expect(made.parts.some(({ facts }) => facts.isDiscontinuous)).toBe(false);
    expect((await decodePictures(fileOf(made, "v480"))).length).toBe(240);
    const sound = await decodeSound(fileOf(made, "a1"));
    expect(loudness(sound, 3, 5)).toBeGreaterThan(0.001);
  },
);

test("a codec change starts a new init version", async () => {
  const first = await broadcastOf(`$STRIP -t 3 ${H264} -c:a aac -f flv`);
  const second = await broadcastOf(`$STRIP -t 3 -output_ts_offset 3 -c:v flv -g 30 -c:a aac -f flv`);
  const FLV_HEADER_BYTES = 13;
  const made = await broadcast(Buffer.concat([first, second.subarray(FLV_HEADER_BYTES)]));
  checkParts(made);
  expect(new Set(made.parts.map(({ facts }) => facts.initVersion))).toEqual(new Set([0, 1]));
  expect((await decodePictures(fileOf(made, "v270", 1))).length).toBeGreaterThanOrEqual(89);
});

test("a reconnect continues the session's numbers, versions and timeline", { tags: ["full"] }, async () => {
  const start = { msn: 17, isDiscontinuous: true, initVersion: 3, seconds: 34.5, ticks: {} };
  const made = await broadcast(await broadcastOf(FRIDAY_IN + FLV), { start });
  checkParts(made);
  const [first] = partsOf(made, "v480");
  expect(first!.facts).toMatchObject({ msn: 17, isDiscontinuous: true, initVersion: 3 });
  expect(decodeTicksOf(first!.bytes)).toBe(34.5 * 120_000);
  expect(made.end.nextMsn).toBe(20);
});

test(
  "a dropped rung ends with a complete segment; the others continue without losing a picture",
  { tags: ["full"] },
  async () => {
    const bytes = await broadcastOf(FRIDAY_IN + FLV);
    const { made, listener } = collector();
    const asked = Promise.withResolvers<void>();
    async function* pausesUntilAsked() {
      yield* chunksOf(bytes.subarray(0, bytes.length / 2));
      await asked.promise;
      yield* chunksOf(bytes.subarray(bytes.length / 2));
    }
    const decide = () => {
      if (partsOf(made, "v480").length < 5) return null; // the second segment has begun
      asked.resolve();
      return "v480";
    };
    const end = await encodeBroadcast(pausesUntilAsked(), PLAN, listener, { decide });
    expect(made.dropped).toEqual([{ rendition: "v480", fromMsn: 2 }]);
    expect(partsOf(made, "v480").at(-1)!.facts).toMatchObject({ msn: 1, part: 3, isLast: true });
    expect((await decodePictures(fileOf(made, "v480"))).length).toBe(120);
    expect((await decodePictures(fileOf(made, "v270"))).length).toBe(180);
    expect(end.nextMsn).toBe(3);
  },
);

test.each(["text", "nothing", "noise", "FLV without content"])("%s is refused with a clear error", async (what) => {
  const bytes = {
    text: Buffer.from("GET / HTTP/1.1\r\nHost: live.example.com\r\n\r\n".repeat(500)),
    nothing: Buffer.alloc(0),
    noise: Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 2_654_435_761) >>> 13)),
    "FLV without content": (await broadcastOf(FRIDAY_IN + FLV)).subarray(0, 13),
  }[what]!;
  await expect(broadcast(bytes)).rejects.toMatchObject({ code: expect.stringMatching(/^source_/) as string });
});

test("a broadcast that turns into garbage or breaks off keeps its earlier media", async () => {
  const bytes = await broadcastOf(FRIDAY_IN + TS);
  const noise = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 2_654_435_761) >>> 13));
  const spoilt = await broadcast(Buffer.concat([bytes.subarray(0, bytes.length / 2), noise]));
  checkParts(spoilt);
  expect((await decodePictures(fileOf(spoilt, "v270"))).length).toBeGreaterThan(60);

  async function* breaksOff() {
    yield* chunksOf(bytes.subarray(0, bytes.length / 2));
    throw new Error("connection reset");
  }
  const broken = await broadcast(breaksOff());
  checkParts(broken);
  expect((await decodePictures(fileOf(broken, "v270"))).length).toBeGreaterThan(60);
});

test.each([
  ["encoded", true],
  ["copied", false],
])(
  "a part that is %s is output as soon as its pictures have arrived; a pause produces no media",
  { tags: ["full"] },
  async (_, encodesTopRung) => {
    const flv = await broadcastOf(`$STRIP -t 6 ${H264} -b:v 200k -maxrate 200k -bufsize 200k -c:a aac -f flv`);
    const { made, listener } = collector();
    const isWaiting = (pulses: number) => made.pulses.slice(pulses).some((pulse) => pulse.isWaiting);
    let partsInPause = -1;
    async function* asItGoesOn() {
      let pictures = 0;
      for (const { bytes, isPicture } of tagsOf(flv)) {
        yield bytes;
        pictures += isPicture ? 1 : 0;
        const due = pictures / 15;
        // The first second is analysed before anything is encoded.
        if (isPicture && Number.isInteger(due) && due > 2)
          await vi.waitUntil(() => partsOf(made, "v480").length >= due && partsOf(made, "v270").length >= due, 30_000);
        if (!isPicture || pictures !== 100) continue;
        await vi.waitUntil(() => isWaiting(made.pulses.length - 1), 30_000);
        const [parts, pulses] = [made.parts.length, made.pulses.length];
        await vi.waitUntil(() => isWaiting(pulses), 30_000);
        partsInPause = made.parts.length - parts;
      }
    }
    const plan = { ...PLAN, encodesTopRung };
    const end = await encodeBroadcast(asItGoesOn(), plan, listener, { decide: () => null });
    checkParts({ ...made, end });
    expect(partsInPause).toBe(0);
    expect((await decodePictures(fileOf(made, "v480"))).length).toBe(180);
  },
);
