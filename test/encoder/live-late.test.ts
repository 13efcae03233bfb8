/** Broadcasts whose picture or sound begins later than the rest. */
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { expect, test } from "vitest";
import {
  broadcast,
  broadcastOf,
  chunksOf,
  collector,
  fileOf,
  H264,
  type Made,
  partsOf,
  PLAN,
} from "../support/live.ts";
import { encodeBroadcast } from "../../encoder/live/broadcast.ts";
import type { RunState } from "../../encoder/live/run-state.ts";
import { type FlvTag, tagsOf } from "../support/flv.ts";
import { decodePictures, decodeSound, loudness } from "../support/rendition.ts";

Log.setLevel(AV_LOG_QUIET);

const SOUND = 8;
const PICTURE = 9;
const SCRIPT = 18;
const typeOf = ({ bytes }: FlvTag) => bytes[0]! % 32;
const isConfiguration = (tag: FlvTag) => typeOf(tag) !== SCRIPT && tag.bytes[12] === 0;

/** Tags of a type begin with this time; their configuration comes directly before. */
function beginningAt(flv: Buffer, type: number, atMs: number, hasMetadata = true): Buffer {
  const [header, ...tags] = tagsOf(flv);
  const begins = (tag: FlvTag) =>
    tag.atMs >= atMs && (type === SOUND || tag.bytes[11]! >> 4 === 1) && !isConfiguration(tag);
  const first = tags.find((tag) => typeOf(tag) === type && begins(tag))!;
  const configuration = Buffer.from(tags.find((tag) => typeOf(tag) === type && isConfiguration(tag))!.bytes);
  configuration.writeUIntBE(first.atMs, 4, 3);
  const kept = tags.filter(
    (tag) =>
      (hasMetadata || typeOf(tag) !== SCRIPT) &&
      (typeOf(tag) !== type || (!isConfiguration(tag) && tag.atMs >= first.atMs)),
  );
  return Buffer.concat([
    header!.bytes,
    ...kept.flatMap((tag) => (tag === first ? [configuration, tag.bytes] : [tag.bytes])),
  ]);
}

const flv = (seconds: number) => broadcastOf(`$STRIP -t ${seconds} ${H264} -c:a aac -f flv`);
const namesOf = ({ started }: Made) => started.map(({ renditions }) => renditions.map(({ name }) => name).join(" "));
const secondsOf = (made: Made, name: string) =>
  partsOf(made, name).reduce(
    (sum, { facts }) =>
      sum + facts.durationTicks / made.started.at(-1)!.renditions.find((one) => one.name === name)!.timescale,
    0,
  );

test("a picture that its metadata announces is waited for", async () => {
  const made = await broadcast(beginningAt(await flv(6), PICTURE, 2000));
  expect(namesOf(made)).toEqual(["v480 v270 a1"]);
  expect(made.started[0]!.video).toMatchObject({ codec: "h264", widthPx: 640, heightPx: 96, frameRate: 30 });
  expect((await decodePictures(fileOf(made, "v270"))).length).toBeGreaterThanOrEqual(119);
  expect(loudness(await decodeSound(fileOf(made, "a1")), 0.5, 3.5)).toBeGreaterThan(0.001);
});

test("a picture that nothing announces begins a new run; the sound before it is kept", async () => {
  const made = await broadcast(beginningAt(await flv(6), PICTURE, 2000, false));
  expect(namesOf(made)).toEqual(["a1", "v480 v270 a1"]);
  expect(made.openings.map(({ because }) => because)).toEqual(["its picture has begun"]);
  expect((await decodePictures(fileOf(made, "v270", 1))).length).toBeGreaterThanOrEqual(119);
  expect(secondsOf(made, "a1")).toBeGreaterThan(5.9);
  expect(secondsOf(made, "a1")).toBeLessThan(6.2);
  for (const version of [0, 1])
    expect(loudness(await decodeSound(fileOf(made, "a1", version)), 0.2, 1.8)).toBeGreaterThan(0.001);
});

test("a sound that is announced is silent until it begins", async () => {
  const made = await broadcast(beginningAt(await flv(6), SOUND, 2000));
  expect(namesOf(made)).toEqual(["v480 v270 a1"]);
  const sound = await decodeSound(fileOf(made, "a1"));
  expect(loudness(sound, 0.1, 1.9)).toBeLessThan(0.0005);
  expect(loudness(sound, 2.1, 5.9)).toBeGreaterThan(0.001);
  expect(sound.largestHoleSeconds).toBeLessThan(0.001);
});

test("a sound that nothing announces begins a new run", async () => {
  const made = await broadcast(beginningAt(await flv(6), SOUND, 2000, false));
  expect(namesOf(made)).toEqual(["v480 v270", "v480 v270 a1"]);
  expect(made.openings.map(({ because }) => because)).toEqual(["another sound has begun"]);
  const pictures = await Promise.all([0, 1].map((version) => decodePictures(fileOf(made, "v270", version))));
  expect(pictures.flat().length).toBeGreaterThanOrEqual(180);
  expect(loudness(await decodeSound(fileOf(made, "a1", 1)), 0.2, 3.8)).toBeGreaterThan(0.001);
});

test("a transport stream that is joined within a group of pictures begins with its next key frame", async () => {
  const whole = await broadcastOf(`$STRIP -t 8 -c:v libx264 -preset ultrafast -g 120 -bf 0 -c:a aac -f mpegts`);
  const from = 188 * Math.round(whole.length / 8 / 188);
  const made = await broadcast(whole.subarray(from));
  expect(namesOf(made)).toEqual(["v480 v270 a1"]);
  expect(made.started[0]!.video).toMatchObject({ widthPx: 640, heightPx: 96, frameRate: 30 });
  expect((await decodePictures(fileOf(made, "v270"))).length).toBeGreaterThanOrEqual(119);
});

test(
  "sound alone is broadcast when an announced picture does not come, and the picture when it does",
  { tags: ["full"] },
  async () => {
    const made = await broadcast(beginningAt(await flv(12), PICTURE, 10_700));
    expect(namesOf(made)).toEqual(["a1", "v480 v270 a1"]);
    expect(secondsOf(made, "a1")).toBeGreaterThan(11.8);
    expect(loudness(await decodeSound(fileOf(made, "a1", 0)), 0.2, 9)).toBeGreaterThan(0.001);
  },
);

test("sound that was waiting for a picture is broadcast when the source ends", async () => {
  const made = await broadcast(beginningAt(await flv(6), PICTURE, 5000).subarray(0, 40_000));
  expect(namesOf(made)).toEqual(["a1"]);
  expect(secondsOf(made, "a1")).toBeGreaterThan(1);
});

/** A transport stream whose program map gets another stream after 3 s. */
const mapped = async (...parts: string[]) =>
  Buffer.concat(
    await Promise.all(
      parts.map((words, n) =>
        broadcastOf(`$STRIP -t 3 -output_ts_offset ${10 + 3 * n} ${words} -muxdelay 0 -muxpreload 0 -f mpegts`),
      ),
    ),
  );
const PICTURE_PID = "-streamid 0:256";
const BOTH = `${H264} -c:a aac ${PICTURE_PID} -streamid 1:257`;

test("a picture that a later program map adds begins a new run", async () => {
  const made = await broadcast(await mapped("-vn -c:a aac -streamid 0:257", BOTH));
  expect(namesOf(made)).toEqual(["a1", "v480 v270 a1"]);
  // The first ones are left out while the sound of their time is already published.
  expect((await decodePictures(fileOf(made, "v270", 1))).length).toBeGreaterThanOrEqual(85);
  for (const version of [0, 1])
    expect(loudness(await decodeSound(fileOf(made, "a1", version)), 0.2, 2.7)).toBeGreaterThan(0.001);
});

test("a sound that a later program map adds begins a new run", async () => {
  const made = await broadcast(await mapped(`-an ${H264} ${PICTURE_PID}`, BOTH));
  expect(namesOf(made)).toEqual(["v480 v270", "v480 v270 a1"]);
  const pictures = await Promise.all([0, 1].map((version) => decodePictures(fileOf(made, "v270", version))));
  expect(pictures.flat().length).toBeGreaterThanOrEqual(178);
  expect(loudness(await decodeSound(fileOf(made, "a1", 1)), 0.2, 2.5)).toBeGreaterThan(0.001);
});

test(
  "a second language that a later program map adds is a further sound beside the first",
  { tags: ["full"] },
  async () => {
    const languages = (codes: string[]) => codes.map((code, n) => `-metadata:s:a:${n} language=${code}`).join(" ");
    const two = `-map 0:v -map 0:a -map 0:a ${BOTH} -streamid 2:258 ${languages(["eng", "ger"])}`;
    const made = await broadcast(await mapped(`${BOTH} ${languages(["eng"])}`, two));
    expect(namesOf(made)).toEqual(["v480 v270 a1", "v480 v270 a1 a2"]);
    for (const name of ["a1", "a2"])
      expect(loudness(await decodeSound(fileOf(made, name, 1)), 0.2, 2.5)).toBeGreaterThan(0.001);
  },
);

/** What a successor makes of `bytes` after the encoder of `before` has crashed in its first run, with nothing published. */
async function continued(before: Buffer, bytes: Buffer): Promise<Made> {
  const first = collector();
  const runs: RunState[] = [];
  const onRun = (state: RunState | null) => void (state !== null && runs.push(state));
  await encodeBroadcast(chunksOf(before), PLAN, { ...first.listener, onRun });
  const continues = { run: runs[0]!, progress: [], dropped: [], soundShifts: {} };
  const made = await broadcast(bytes, { continues });
  return { ...made, inits: [...first.made.inits.filter(({ version }) => version === 0), ...made.inits] };
}

test("the run of a crashed encoder with sound alone is continued, and then the picture begins", async () => {
  const whole = await flv(6);
  // The successor gets half a second of the picture first.
  const placeOf = (tag: FlvTag) => tag.atMs + (typeOf(tag) === SOUND && !isConfiguration(tag) ? 500 : 0);
  const [header, ...tags] = tagsOf(whole);
  const ordered = tags.toSorted((a, b) => placeOf(a) - placeOf(b)).map(({ bytes }) => bytes);
  const made = await continued(beginningAt(whole, PICTURE, 2000, false), Buffer.concat([header!.bytes, ...ordered]));
  expect(namesOf(made)).toEqual(["v480 v270 a1"]);
  expect(made.openings.map(({ because }) => because)).toEqual(["its picture has begun"]);
  expect((await decodePictures(fileOf(made, "v270", 1))).length).toBeGreaterThanOrEqual(150);
  expect(loudness(await decodeSound(fileOf(made, "a1", 1)), 0.2, 5.5)).toBeGreaterThan(0.001);
});

test("a sound that a crashed encoder knew from its announcement is found by its successor", async () => {
  const whole = await flv(6);
  const made = await continued(beginningAt(whole, SOUND, 2000), whole);
  expect(made.openings).toEqual([]);
  expect(loudness(await decodeSound(fileOf(made, "a1")), 0.2, 5.8)).toBeGreaterThan(0.001);
  expect(made.warnings).toEqual([]);
});
