/** Broadcasts with several sounds. Each sound has a tone of its own, so that a test hears which one it is. */
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { describe, expect, test, vi } from "vitest";
import { encodeBroadcast } from "../../encoder/live/broadcast.ts";
import { chosenSounds, namedSounds, type SourceSound } from "../../encoder/live/broadcast-sounds.ts";
import { type KnownSound, soundsOf } from "../../protocol/live.ts";
import {
  broadcast,
  broadcastOf,
  chunksOf,
  collector,
  decodeTicksOf,
  fileOf,
  H264,
  type Made,
  partsOf,
  PLAN,
} from "../support/live.ts";
import { checkParts } from "../support/live-checks.ts";
import { type DecodedSound, decodeSound } from "../support/rendition.ts";
import { toneAt } from "../support/tones.ts";
import { pidOfSound, withPackets } from "../support/transport-stream.ts";

Log.setLevel(AV_LOG_QUIET);

const SECONDS = 5;
const PICTURE = `-f lavfi -i testsrc2=size=320x64:rate=30 -t ${SECONDS} -pix_fmt yuv420p`;
const tonesOf = (frequencies: number[]) =>
  `-filter_complex ${frequencies.map((hz, n) => `sine=f=${hz}:r=48000:d=${SECONDS},volume=4[t${n}]`).join(";")}`;
const mapsOf = (frequencies: number[]) => frequencies.map((_, n) => `-map [t${n}]`).join(" ");
const languages = (codes: string[]) => codes.map((code, n) => `-metadata:s:a:${n} language=${code}`).join(" ");
const film = (frequencies: number[], more: string, format: string) =>
  broadcastOf(`${PICTURE} ${tonesOf(frequencies)} -map 0:v ${mapsOf(frequencies)} ${H264} -c:a aac ${more} ${format}`);
const TS = "-f mpegts";
const MP4 = "-movflags frag_keyframe+empty_moov -f mp4";

const soundsIn = ({ started }: Pick<Made, "started">) =>
  started.at(-1)!.renditions.flatMap(({ name, sound }) => (sound === undefined ? [] : [{ name, ...sound }]));
const isTone = (sound: DecodedSound, seconds: number, hz: number) => Math.abs(toneAt(sound, seconds) - hz) < 40;
/** The tone of a rendition, twice a second; 0 = silence. */
async function heard(made: Omit<Made, "end">, name: string, tones: number[]): Promise<(number | null)[]> {
  const sound = await decodeSound(fileOf(made, name));
  expect(sound.largestHoleSeconds).toBeLessThan(0.001);
  expect(Math.abs(sound.samples.length / sound.sampleRateHz - SECONDS)).toBeLessThan(0.04);
  const times = Array.from({ length: 2 * SECONDS - 1 }, (_, n) => 0.25 + n / 2);
  return times.map((seconds) => [0, ...tones].find((hz) => isTone(sound, seconds, hz)) ?? null);
}
const only = (hz: number) => Array.from({ length: 2 * SECONDS - 1 }, () => hz);

test("MPEG-TS: each sound is a rendition with its language; the description of the picture comes last", async () => {
  const tones = [990, 440, 660];
  const more = `${languages(["eng", "ger", "fre"])} -disposition:a:0 visual_impaired`;
  const made = await broadcast(await film(tones, more, TS));
  checkParts(made);
  expect(soundsIn(made)).toEqual([
    { name: "a1", languageCode: "de", channels: 1 },
    { name: "a2", languageCode: "fr", channels: 1 },
    { name: "a3", languageCode: "en", isDescription: true, channels: 1 },
  ]);
  for (const [name, hz] of [["a1", 440] as const, ["a2", 660] as const, ["a3", 990] as const])
    expect([name, await heard(made, name, tones)]).toEqual([name, only(hz)]);
  const starts = (name: string, timescale: number) =>
    partsOf(made, name)
      .filter(({ facts }) => facts.part === 0)
      .map(({ bytes }) => Math.round((100 * decodeTicksOf(bytes)) / timescale));
  expect(starts("a2", 48_000)).toEqual(starts("a1", 48_000));
});

test(
  "fragmented MP4: sounds of different rates and channels keep their languages and names",
  { tags: ["full"] },
  async () => {
    const tones = [440, 660];
    const more = `${languages(["eng", "und"])} -metadata:s:a:1 handler_name=Director -ar:a:1 44100 -ac:a:1 2`;
    const made = await broadcast(await film(tones, more, MP4));
    checkParts(made);
    expect(soundsIn(made)).toEqual([
      { name: "a1", languageCode: "en", channels: 1 },
      { name: "a2", title: "Director", channels: 2 },
    ]);
    expect(made.started[0]!.renditions.map(({ timescale }) => timescale)).toEqual([120_000, 48_000, 44_100]);
    expect([await heard(made, "a1", tones), await heard(made, "a2", tones)]).toEqual([only(440), only(660)]);
  },
);

test(
  "a sound that is announced and never sent holds up neither the picture nor the other sound, and is silent",
  { tags: ["full"] },
  async () => {
    const whole = await film([440, 660], languages(["eng", "ger"]), TS);
    const source = withPackets(whole, (pid) => pid !== pidOfSound(0));
    const { made, listener } = collector();
    const published = (rendition: number) => partsOf(made, made.started[0]?.renditions[rendition]?.name ?? "").length;
    async function* paused() {
      yield* chunksOf(source.subarray(0, (source.length * 4) / SECONDS));
      // Nearly all of 4 s: the rest waits in the decoders and for the next packet.
      await vi.waitUntil(() => published(0) >= 7 && published(1) >= 6, 10_000);
      yield* chunksOf(source.subarray((source.length * 4) / SECONDS));
    }
    const end = await encodeBroadcast(paused(), PLAN, listener, { decide: () => null });
    checkParts({ ...made, end });
    expect(soundsIn(made).map(({ name, languageCode }) => [name, languageCode])).toEqual([
      ["a1", "de"], // what is sent comes first
      ["a2", "en"],
    ]);
    expect([await heard(made, "a1", [440, 660]), await heard(made, "a2", [440, 660])]).toEqual([only(660), only(0)]);
  },
);

test("a sound that pauses is silent meanwhile; the picture and the other sound go on", { tags: ["full"] }, async () => {
  const whole = await film([440, 660], languages(["eng", "ger"]), TS);
  const source = withPackets(whole, (pid, share) => pid !== pidOfSound(1) || share < 0.3 || share > 0.7);
  const made = await broadcast(source);
  checkParts(made);
  expect(made.parts.some(({ facts }) => facts.isDiscontinuous)).toBe(false);
  const [going, pausing] = [await heard(made, "a1", [440, 660]), await heard(made, "a2", [440, 660])];
  expect(going).toEqual(only(440));
  expect([pausing[0], pausing[4], pausing.at(-1)]).toEqual([660, 0, 660]);
});

test.each([
  ["both to the end", () => true, only(660)],
  ["one of which ends early", (pid: number, share: number) => pid !== pidOfSound(0) || share < 0.4, null],
])("sounds without a picture: %s", { tags: ["full"] }, async (_, keeps, second) => {
  const words = `${tonesOf([440, 660])} ${mapsOf([440, 660])} -c:a aac ${languages(["eng", "ger"])} ${TS}`;
  const shifted = (pid: number) => pid + 1; // the first PID is that of a sound
  const source = withPackets(await broadcastOf(words), (pid, share) => keeps(shifted(pid), share));
  const made = await broadcast(source);
  checkParts(made);
  expect(soundsIn(made).map(({ languageCode }) => languageCode)).toEqual(["en", "de"]);
  const first = await heard(made, "a1", [440, 660]);
  expect(await heard(made, "a2", [440, 660])).toEqual(only(660));
  if (second !== null) expect(first).toEqual(only(440));
  else expect([first[0], first.at(-1)]).toEqual([440, 0]);
});

test("timestamps that jump take all sounds along", { tags: ["full"] }, async () => {
  const at = (seconds: number) => film([440, 660], `${languages(["eng", "ger"])} -output_ts_offset ${seconds}`, TS);
  const made = await broadcast(Buffer.concat([await at(100), await at(5000)]));
  checkParts(made);
  for (const version of [0, 1])
    for (const [name, hz] of [["a1", 440] as const, ["a2", 660] as const]) {
      const sound = await decodeSound(fileOf(made, name, version));
      const from = sound.startSeconds + 0.5;
      const isHeard = [0, 1, 2, 3, 4].map((second) => isTone(sound, from + second, hz));
      expect([name, version, isHeard]).toEqual([name, version, isHeard.map(() => true)]);
    }
});

test(
  "a broadcaster that returns without a language continues it as silence, with the same init segments",
  { tags: ["full"] },
  async () => {
    const [both, german] = [
      await film([440, 660], languages(["eng", "ger"]), TS),
      await film([660], languages(["ger"]), TS),
    ];
    const before = await broadcast(both);
    const sounds = soundsOf(before.started[0]!.renditions);
    const made = await broadcast(german, { settings: { ...PLAN.settings, sounds } });
    checkParts(made);
    expect(soundsIn(made).map(({ name, languageCode, isAbsent }) => [name, languageCode, isAbsent])).toEqual([
      ["a2", "de", undefined],
      ["a1", "en", true],
    ]);
    const initOf = ({ inits }: Made, name: string) => inits.find(({ rendition }) => rendition === name)!.bytes;
    for (const name of ["a1", "a2"]) expect(initOf(made, name)).toEqual(initOf(before, name));
    expect([await heard(made, "a1", [440, 660]), await heard(made, "a2", [440, 660])]).toEqual([only(0), only(660)]);
  },
);

test("of more than eight sounds the first eight are encoded", { tags: ["full"] }, async () => {
  const tones = Array.from({ length: 9 }, (_, n) => 300 + 100 * n);
  const made = await broadcast(await film(tones, "-t 2", TS));
  expect(soundsIn(made).map(({ name }) => name)).toEqual(["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"]);
});

const candidate = (index: number, more: object = {}) =>
  ({ index, isSent: true, isDefault: false, isDescription: false, ...more }) as const;

test("players begin with a sound that is sent, describes nothing, and is the source's default", () => {
  const order = (...candidates: ReturnType<typeof candidate>[]) => chosenSounds(candidates).map(({ index }) => index);
  expect(order(candidate(1), candidate(2, { isDefault: true }))).toEqual([2, 1]);
  expect(order(candidate(1, { isDescription: true, isDefault: true }), candidate(2))).toEqual([2, 1]);
  expect(order(candidate(1, { isSent: false }), candidate(2, { isDescription: true }))).toEqual([2, 1]);
  expect(order(...Array.from({ length: 9 }, (_, n) => candidate(n)))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

describe("the rendition of a sound lasts for the session", () => {
  const sound = (languageCode: string, isDescription = false): SourceSound => ({
    streamId: 1,
    format: { sampleRateHz: 48_000, channels: 2 },
    languageCode,
    isDescription,
    title: "",
  });
  const knownAs = ([name, languageCode]: [name: string, languageCode?: string]): KnownSound => ({
    name,
    sampleRateHz: 44_100,
    channels: 1,
    ...(languageCode ? { languageCode } : {}),
  });
  const named = (sounds: SourceSound[], ...known: [name: string, languageCode?: string][]) =>
    namedSounds(sounds, known.map(knownAs)).flatMap(({ name, streamId }) => (streamId === null ? [] : [name]));

  test("it continues that of its language, and a new one has a new name", () => {
    expect(named([sound("en"), sound("de")])).toEqual(["a1", "a2"]);
    expect(named([sound("de"), sound("en")], ["a1", "en"], ["a2", "de"])).toEqual(["a2", "a1"]);
    expect(named([sound("de")], ["a1", "en"], ["a2", "de"])).toEqual(["a2"]);
    expect(named([sound("fr"), sound("de")], ["a1", "en"], ["a2", "de"])).toEqual(["a3", "a2"]);
    expect(named([sound("en"), sound("en")], ["a1", "en"], ["a2", "en"])).toEqual(["a1", "a2"]);
  });

  test("a description continues no other sound", () => {
    expect(named([sound("en"), sound("en", true)], ["a1", "en"])).toEqual(["a1", "a2"]);
  });

  test("an unknown language continues what is left; if no sound goes on, the first one continues what players began with", () => {
    expect(named([sound("und")], ["a1", "en"])).toEqual(["a1"]);
    expect(named([sound("en"), sound("de")], ["a1"])).toEqual(["a1", "a2"]);
    expect(named([sound("fr"), sound("it")], ["a1", "en"], ["a2", "de"])).toEqual(["a1", "a3"]);
  });

  test("a sound that the broadcast lacks goes on as silence of the same format", () => {
    const known = [knownAs(["a1", "en"]), { ...knownAs(["a2", "de"]), title: "Original", isDescription: true }];
    expect(namedSounds([sound("en")], known).slice(1)).toEqual([
      {
        name: "a2",
        streamId: null,
        format: { sampleRateHz: 44_100, channels: 1 },
        languageCode: "de",
        isDescription: true,
        title: "Original",
      },
    ]);
  });

  test("names of sounds that are gone are used again once all are taken", () => {
    const known = ["en", "de", "fr", "it", "es", "pt", "nl", "pl"].map((code, n): [string, string] => [
      `a${n + 1}`,
      code,
    ]);
    expect(named([sound("sv"), sound("de")], ...known)).toEqual(["a1", "a2"]);
  });
});
