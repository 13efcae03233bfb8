/** Subtitles inside a source: the job of an encoder that this test plays becomes tracks, and never decides about the asset. */
import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { type CaptionsFile, captionsRendition } from "../../../../protocol/captions.ts";
import type { JobResult } from "../../../../protocol/jobs.ts";
import type { SourceSubtitles } from "../../../../protocol/source-facts.ts";
import { renditionKey } from "../../../../src/platform/storage/keys.ts";
import { eventsOf, until as untilIs } from "../../events/webhooks/webhook-rows.ts";
import { callJob, useAssets } from "../encoding/job-calls.ts";
import { sourceFacts } from "../../../support/source-facts.ts";

const { awaitingProbe, media, until } = useAssets();

const stream = (streamIndex: number, change: Partial<SourceSubtitles> = {}): SourceSubtitles => ({
  streamIndex,
  codec: "subrip",
  languageCode: "eng",
  title: "",
  isForced: false,
  isHearingImpaired: false,
  ...change,
});
const channel = (streamIndex: number, codec: SourceSubtitles["codec"], name: string, languageCode = "und") =>
  stream(streamIndex, { codec, channel: name, languageCode, isHearingImpaired: true });
const STREAMS = [
  stream(2),
  stream(3, { codec: "ass", languageCode: "ger", title: "Schilder", isForced: true, isHearingImpaired: true }),
  stream(4, { languageCode: "fra" }),
  stream(5, { languageCode: "x-not-a-tag" }),
  channel(0, "cc_data", "CC1"),
  channel(0, "cc_data", "CC2"),
  channel(0, "cc_data", "SERVICE2", "fre"),
  channel(6, "dvb_teletext", "888"),
];
const ENGLISH: CaptionsFile["cues"] = [[0, 900, "{\\an8}<i>Why</i> <script>", ""]];
const GERMAN: CaptionsFile["cues"] = [[0, 900, "{\\fnArial\\i1}Warum{\\i0}\\Nwas", ""]];
const RESULT: JobResult = {
  kind: "captions",
  streams: [2, 3, 4, 5].map((streamIndex) => ({
    streamIndex,
    cueCount: streamIndex === 4 ? 0 : 1,
    skippedCues: 0,
    isTooLarge: streamIndex === 4,
  })),
};
const renditions = STREAMS.map(captionsRendition);

/** An asset whose probe has found subtitles, and whose captions job is known. */
async function probed(subtitles: SourceSubtitles[] = STREAMS) {
  const assetId = await awaitingProbe();
  const call = (job: string, path: string, body: unknown, attempt = 1) =>
    callJob({ assetId, job }, { method: "POST", path, body: JSON.stringify(body) }, { attempt, renditions });
  const put = (object: string, cues: CaptionsFile["cues"], bytes = JSON.stringify({ cues })) =>
    callJob({ assetId, job: "captions" }, { method: "PUT", path: `objects/${object}`, body: bytes }, { renditions });
  const facts = { ...sourceFacts(4000), audio: [], subtitles };
  await call("probe", "complete", { kind: "probe", facts });
  await until(assetId, "Processing");
  const finish = async (more: { hasCcData?: true } = {}) => {
    const init = { bytes: 700, sha256: "a".repeat(64), codec: "avc1.640015" };
    const segments = [{ durationTicks: 100, bytes: 1000, keyframes: [[0, 100]] }];
    const result = { kind: "video", renditions: [{ name: "v270", timescale: 25, init, segments }] };
    await call("video.0", "complete", { ...result, frameCount: 100, encodeMs: 1, cpuMs: 1, ...more });
    await until(assetId, "Ready");
  };
  const tracks = async () =>
    ((await media(assetId)) as unknown as { tracks: Record<string, unknown>[] }).tracks.filter(
      (track) => track["type"] === "subtitle",
    );
  return { assetId, call, put, finish, tracks };
}
const accepted = async (answer: Response) => (await answer.json<{ accepted: boolean }>()).accepted;
const isContinued = async (answer: Response) => (await answer.json<{ continue: boolean }>()).continue;
const HEARTBEAT = { attempt: 1, state: "running", progress: 0, speed: 0 };

test("streams become tracks before the asset is ready, once, with the labels of the source", async () => {
  const { assetId, call, put, finish, tracks } = await probed();
  expect(await isContinued(await call("captions", "heartbeat", HEARTBEAT))).toBe(true);
  expect((await put("text-2/init.mp4", ENGLISH)).status).toBe(403);
  expect((await put("text-9/captions.json", ENGLISH)).status).toBe(403);
  expect((await put("text-2/captions.json", ENGLISH)).status).toBe(204);
  expect((await put("text-3/captions.json", GERMAN)).status).toBe(204);
  expect((await put("text-5/captions.json", [[5, 5, "no length", ""]])).status).toBe(204);
  expect(await accepted(await call("captions", "complete", RESULT))).toBe(true);
  expect(await tracks()).toMatchObject([
    { languageCode: "en", languageName: "English", status: "available", captions: { cueCount: 1 } },
    { languageCode: "de", languageName: "German", title: "Schilder", forced: true, closedCaptions: true },
  ]);
  for (const track of await tracks()) expect(track).not.toHaveProperty("default");
  expect(await accepted(await call("captions", "complete", RESULT))).toBe(false);
  expect((await put("text-2/captions.json", ENGLISH)).status).toBe(410);
  await finish();
  expect(await tracks()).toHaveLength(2);
  const [english = "", german = ""] = (await tracks()).map(({ id }) => id as string);
  const captionsOf = async (id: string) =>
    await (await env.MEDIA.get(`assets/${assetId}/text/${id}/whole.vtt`))?.text();
  expect(await captionsOf(english)).toContain("00:00:00.000 --> 00:00:00.900 line:0\n<i>Why</i>");
  expect(await captionsOf(english)).not.toContain("<script");
  expect(await captionsOf(german)).toContain("\n<i>Warum</i>\nwas\n");
  expect(await env.MEDIA.head(renditionKey(assetId, "text-2", "captions.json"))).toBeNull();
  const types = (await eventsOf(assetId)).map(({ videoType }) => videoType);
  expect(types.filter((type) => type.includes("track"))).toEqual([
    "video.media.track.created",
    "video.media.track.ready",
    "video.media.track.created",
    "video.media.track.ready",
  ]);
});

test("channels of one stream become tracks of their own, named after their language, or else after the channel", async () => {
  const { assetId, call, put, tracks } = await probed();
  const found = [
    { streamIndex: 0, channel: "CC1" },
    { streamIndex: 0, channel: "SERVICE2" },
    { streamIndex: 6, channel: "888" },
  ];
  for (const one of found) {
    const cues: CaptionsFile["cues"] = [[0, 900, `&lt;${one.channel}&gt; <i>says</i>`, "line:0"]];
    expect((await put(`${captionsRendition(one)}/captions.json`, cues)).status).toBe(204);
  }
  expect((await put("text-0-cc4/captions.json", ENGLISH)).status).toBe(403);
  const streams = found.map((one) => ({ ...one, cueCount: 1, skippedCues: 0, isTooLarge: false }));
  expect(await accepted(await call("captions", "complete", { kind: "captions", streams }))).toBe(true);
  const made = await tracks();
  expect(made.map((track) => [track["languageCode"], track["languageName"], track["closedCaptions"]])).toEqual([
    ["und", "CC1", true],
    ["fr", "French", true],
    ["und", "Teletext 888", true],
  ]);
  for (const track of made) expect(track).not.toHaveProperty("default");
  const whole = await env.MEDIA.get(`assets/${assetId}/text/${made[0]!["id"] as string}/whole.vtt`);
  expect(await whole?.text()).toContain("line:0\n&lt;CC1&gt; <i>says</i>\n");
});

test("captions that a job of the picture finds are read too, once, when the probe has found no place for them", async () => {
  const { assetId, finish, tracks } = await probed([stream(2)]);
  await finish({ hasCcData: true });
  const cc1 = { streamIndex: 0, channel: "CC1" };
  const late = (path: string, body: string, method: "POST" | "PUT" = "POST") =>
    callJob({ assetId, job: "late.captions" }, { method, path, body }, { renditions: [captionsRendition(cc1)] });
  expect(await isContinued(await late("heartbeat", JSON.stringify(HEARTBEAT)))).toBe(true);
  const cues: CaptionsFile["cues"] = [[500, 900, "Late", ""]];
  expect((await late(`objects/${captionsRendition(cc1)}/captions.json`, JSON.stringify({ cues }), "PUT")).status).toBe(
    204,
  );
  const streams = [{ ...cc1, cueCount: 1, skippedCues: 0, isTooLarge: false }];
  const result = JSON.stringify({ kind: "captions", streams });
  expect(await accepted(await late("complete", result))).toBe(true);
  expect(await tracks()).toMatchObject([{ languageCode: "und", languageName: "CC1", closedCaptions: true }]);
  const other = await probed(); // whose probe has found them
  await other.finish({ hasCcData: true });
  const answer = callJob(
    { assetId: other.assetId, job: "late.captions" },
    { method: "POST", path: "heartbeat", body: JSON.stringify(HEARTBEAT) },
    {},
  );
  expect(await isContinued(await answer)).toBe(false);
});

test("a failure of the source costs the tracks, and the asset becomes ready", async () => {
  const { call, finish, tracks } = await probed();
  const failure = { code: "source_exceeds_limits", message: "Working on the source took too long." };
  expect(await accepted(await call("captions", "fail", failure))).toBe(true);
  expect(await isContinued(await call("captions", "heartbeat", HEARTBEAT))).toBe(false);
  await finish();
  expect(await tracks()).toEqual([]);
});

test("a crash of the encoder is tried three times, also when the asset is ready", async () => {
  const { call, finish } = await probed();
  await finish();
  const crash = { code: "encoder_crashed", message: "It crashed." };
  for (const attempt of [1, 2, 3]) expect(await accepted(await call("captions", "fail", crash, attempt))).toBe(true);
  expect(await accepted(await call("captions", "complete", RESULT, 4))).toBe(false);
});

test("a track that was added before a crash is not added again", async () => {
  const { call, put, tracks, assetId } = await probed();
  const file = renditionKey(assetId, "text-2", "captions.json");
  const only = { kind: "captions", streams: [{ streamIndex: 2, cueCount: 1, skippedCues: 0, isTooLarge: false }] };
  expect((await put("text-2/captions.json", ENGLISH)).status).toBe(204);
  const answers = await Promise.all([call("captions", "complete", only), call("captions", "complete", only)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await tracks()).toHaveLength(1);
  await untilIs(
    () => env.MEDIA.head(file),
    (object) => object === null,
  );
});

test("the job ends with an asset that fails", async () => {
  const { assetId, call } = await probed();
  await call("video.0", "fail", { code: "source_damaged", message: "The source is damaged." });
  await until(assetId, "Failed");
  expect(await isContinued(await call("captions", "heartbeat", HEARTBEAT))).toBe(false);
});
