/** Broadcasts with several sounds: what players are offered, after a reconnect with other sounds too, and the recording. */
import { env } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import type { SoundFacts, Started } from "../../../protocol/live.ts";
import { originOf } from "../../../src/live/origin/origin-calls.ts";
import type { LiveOffer } from "../../../src/media/live/multivariant.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { connect, FACTS, finish, newStream, settle, type Stream } from "./live-helpers.ts";
import { bring, bringInit, broadcast as bringAll, textOf } from "./recording-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const [PICTURE, SOUND] = FACTS.renditions as [Started["renditions"][0], Started["renditions"][0]];
const withSounds = (...sounds: [name: string, facts: SoundFacts][]): Started => ({
  ...FACTS,
  renditions: [PICTURE, ...sounds.map(([name, sound]) => ({ ...SOUND, name, sound }))],
});
const ENGLISH: SoundFacts = { languageCode: "en", channels: 2 };
const GERMAN: SoundFacts = { languageCode: "de", channels: 1 };
const FRENCH: SoundFacts = { languageCode: "fr", title: "Commentaire", channels: 2 };
const DESCRIBED: SoundFacts = { languageCode: "en", isDescription: true, channels: 2 };

async function broadcast(stream: Stream, segments: number, facts: Started) {
  const broadcaster = await bringAll(stream, segments, facts);
  await settle(stream);
  return broadcaster;
}

const playbackOf = (stream: Stream) => `/${stream.playbackIds[0]!.id}`;
/** The attributes of the audio group, without the session. */
const soundsIn = (multivariant: string): string[] =>
  multivariant
    .split("\n")
    .filter((line) => line.startsWith("#EXT-X-MEDIA:TYPE=AUDIO"))
    .map((line) => line.replace(/^.*GROUP-ID="audio",/, "").replace(/URI="[^"]*\//, 'URI="'));
/** The adaptation sets of sound of each Period, without their segments. */
const setsIn = (mpd: string): string[][] =>
  [...mpd.matchAll(/<Period.*?<\/Period>/g)].map(([period]) =>
    [...period.matchAll(/<AdaptationSet[^>]*contentType="audio".*?<\/AdaptationSet>/g)].map(
      ([set]) =>
        `${/ id="(\d+)"/.exec(set)![1]} ${/ lang="([^"]*)"/.exec(set)![1]}: ${[...set.matchAll(/<Label>([^<]*)|<(?:Role|Accessibility) [^>]*value="([^"]*)"|<Representation id="([^"]*)"|ChannelConfiguration[^>]* value="(\d)"/g)].map((found) => found.slice(1).find(Boolean)).join(" ")}`,
    ),
  );

test("players are offered every sound with its name, language, purpose and channels", async () => {
  const stream = await newStream(workspace);
  const facts = withSounds(["a1", ENGLISH], ["a2", GERMAN], ["a3", DESCRIBED]);
  const { sessionId } = await broadcast(stream, 3, facts);
  const multivariant = await textOf(`${playbackOf(stream)}.m3u8`);
  expect(soundsIn(multivariant)).toEqual([
    'NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="a1.m3u8"',
    'NAME="German",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="1",URI="a2.m3u8"',
    'NAME="English 2",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,CHARACTERISTICS="public.accessibility.describes-video",CHANNELS="2",URI="a3.m3u8"',
  ]);
  expect(multivariant).toMatch(/#EXT-X-STREAM-INF:.*CODECS="avc1.64001f,mp4a.40.2",.*AUDIO="audio"/);
  const mpd = await textOf(`${playbackOf(stream)}.mpd`);
  expect(setsIn(mpd)).toEqual([
    ["1 en: English main a1 2", "2 de: German alternate a2 1", "3 en: English 2 1 alternate description a3 2"],
  ]);
  const german = await textOf(`${playbackOf(stream)}/${sessionId}/a2.m3u8`);
  expect(german).toContain("\na2/2.m4s\n");
  for (const other of ["v720", "a1", "a3"])
    expect(german).toContain(`#EXT-X-RENDITION-REPORT:URI="${other}.m3u8",LAST-MSN=3,LAST-PART=3`);
});

test("a single sound is listed as ever, with its language when it is known", async () => {
  const listed = async (facts: Started) => {
    const stream = await newStream(workspace);
    await broadcast(stream, 2, facts);
    const [multivariant, mpd] = [
      await textOf(`${playbackOf(stream)}.m3u8`),
      setsIn(await textOf(`${playbackOf(stream)}.mpd`)),
    ];
    return [soundsIn(multivariant), mpd];
  };
  const unknown = [['NAME="default",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="a1.m3u8"'], [["1 und: main a1 2"]]];
  expect(await listed(FACTS)).toEqual(unknown);
  expect(await listed(withSounds(["a1", { channels: 2 }]))).toEqual(unknown);
  expect(await listed(withSounds(["a1", ENGLISH]))).toEqual([
    ['NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="a1.m3u8"'],
    [["1 en: English main a1 2"]],
  ]);
});

test("several sounds without a picture are one variant with a group", async () => {
  const stream = await newStream(workspace);
  const facts = withSounds(["a1", ENGLISH], ["a2", GERMAN]);
  await broadcast(stream, 2, { ...facts, video: null, renditions: facts.renditions.slice(1) });
  const multivariant = await textOf(`${playbackOf(stream)}.m3u8`);
  expect(soundsIn(multivariant).map((line) => line.slice(0, 14))).toEqual(['NAME="English"', 'NAME="German",']);
  expect(multivariant.match(/#EXT-X-STREAM-INF:.*\n.*/g)).toEqual([
    expect.stringMatching(/^#EXT-X-STREAM-INF:BANDWIDTH=\d+,CODECS="mp4a.40.2",AUDIO="audio"\n.*\/a1\.m3u8$/),
  ]);
});

/** English and German; after a reconnect German and French. */
async function changing(stream: Stream) {
  const first = await broadcast(stream, 2, withSounds(["a1", ENGLISH], ["a2", GERMAN]));
  await first.left();
  const facts = withSounds(["a2", GERMAN], ["a3", FRENCH], ["a1", { ...ENGLISH, isAbsent: true }]);
  const second = await connect(stream, {}, {}, facts);
  await second.started();
  const msn = second.resume!.nextMsn;
  for (const { name } of facts.renditions) {
    await bringInit(second, name, second.resume!.initVersion);
    for (const n of [0, 1])
      await bring(second, msn + n, { rendition: name, init: 1, isDiscontinuous: n === 0, atSeconds: 30 + 2 * n });
  }
  await second.heartbeat(msn + 2);
  await settle(stream);
  return { sessionId: first.sessionId, second, msn };
}

test("after a reconnect, encoders know the session's sounds; one that is absent goes on and is not offered, and a new one begins there", async () => {
  const stream = await newStream(workspace);
  const { sessionId, second, msn } = await changing(stream);
  const [a1, a2] = [
    { name: "a1", sampleRateHz: 48_000, ...ENGLISH },
    { name: "a2", sampleRateHz: 48_000, ...GERMAN },
  ];
  expect(second.settings.sounds).toEqual([a1, a2]);
  const multivariant = await textOf(`${playbackOf(stream)}.m3u8`);
  expect(soundsIn(multivariant)).toEqual([
    'NAME="German",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="1",URI="a2.m3u8"',
    'NAME="Commentaire",LANGUAGE="fr",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2",URI="a3.m3u8"',
  ]);
  expect(setsIn(await textOf(`${playbackOf(stream)}.mpd`))).toEqual([
    ["1 en: English alternate a1 2", "2 de: German main a2 1"],
    ["1 en: English alternate a1 2", "2 de: German main a2 1", "3 fr: Commentaire alternate a3 2"],
  ]);
  const playlist = async (name: string) => await textOf(`${playbackOf(stream)}/${sessionId}/${name}.m3u8`);
  for (const name of ["a1", "a2"]) expect(await playlist(name)).not.toContain("#EXT-X-GAP");
  expect(await playlist("a3")).toContain(`#EXT-X-MEDIA-SEQUENCE:${msn + 1}\n`);

  await second.left();
  const third = await connect(stream, {}, {}, withSounds(["a1", ENGLISH], ["a2", GERMAN], ["a3", FRENCH]));
  expect(third.settings.sounds).toEqual([a2, { name: "a3", sampleRateHz: 48_000, ...FRENCH }, a1]);
  await third.started();
  const offered = (await originOf(env, sessionId).offer()) as unknown as LiveOffer;
  expect(offered.variants.map(({ name, sound }) => [name, sound?.isAbsent])).toEqual(
    ["v720", "a1", "a2", "a3"].map((name) => [name, undefined]),
  );
});

test("a rendition that a gateway does not name any more is dropped, and has gaps", async () => {
  const stream = await newStream(workspace);
  const first = await broadcast(stream, 2, withSounds(["a1", ENGLISH], ["a2", GERMAN]));
  await first.left();
  const facts = withSounds(["a2", GERMAN]);
  const second = await connect(stream, {}, {}, facts);
  await second.started();
  for (const { name } of facts.renditions) {
    await bringInit(second, name, 1);
    await bring(second, second.resume!.nextMsn, { rendition: name, init: 1, isDiscontinuous: true, atSeconds: 30 });
  }
  expect(await textOf(`${playbackOf(stream)}/${first.sessionId}/a1.m3u8`)).toContain("#EXT-X-GAP");
});

test("a rendition that continues with another language is listed with the new one", async () => {
  const stream = await newStream(workspace);
  const first = await broadcast(stream, 2, FACTS);
  await first.left();
  const second = await connect(stream, {}, {}, withSounds(["a1", GERMAN]));
  await second.started();
  expect(soundsIn(await textOf(`${playbackOf(stream)}.m3u8`))).toEqual([
    'NAME="German",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="1",URI="a1.m3u8"',
  ]);
});

test("the recording, its record, and clips have the sounds with their names and languages", async () => {
  const stream = await newStream(workspace);
  const facts = withSounds(["a1", ENGLISH], ["a2", GERMAN], ["a3", FRENCH], ["a4", DESCRIBED]);
  const { sessionId } = await broadcast(stream, 3, facts);
  const expected = [
    'NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="a1.m3u8"',
    'NAME="German",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="1",URI="a2.m3u8"',
    'NAME="Commentaire",LANGUAGE="fr",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2",URI="a3.m3u8"',
    'NAME="English 2",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,CHARACTERISTICS="public.accessibility.describes-video",CHANNELS="2",URI="a4.m3u8"',
  ];
  const clip = await textOf(`${playbackOf(stream)}.m3u8?start=0s&end=4s`);
  expect(soundsIn(clip.replaceAll("?clip=0-1", ""))).toEqual(expected);
  await finish(workspace, stream);
  await settle(stream);
  const answer = await workspace.request("GET", `/v1/on-demand/${sessionId}`);
  const { data } = await answer.json<{
    data: { playbackIds: { id: string }[]; tracks: Record<string, unknown>[] };
  }>();
  expect(
    data.tracks
      .filter(({ type }) => type === "audio")
      .map(({ languageCode, languageName, title }) => [languageCode, languageName, title]),
  ).toEqual([
    ["en", "English", undefined],
    ["de", "German", undefined],
    ["fr", "French", "Commentaire"],
    ["en", "English", undefined],
  ]);
  const recording = `/${data.playbackIds[0]!.id}`;
  expect(soundsIn(await textOf(`${recording}.m3u8`))).toEqual(expected);
  expect(setsIn(await textOf(`${recording}.mpd`))).toEqual([
    [
      "1 en: English main a1 2",
      "2 de: German alternate a2 1",
      "3 fr: Commentaire alternate a3 2",
      "4 en: English 2 1 alternate description a4 2",
    ],
  ]);
});
