/** The README's tour and the guides, command by command beside a running demo, as a new user goes through them. */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CodeBlock, codeBlocks, theBlock } from "../support/guide-blocks.ts";
import { eventually } from "../support/live-watch.ts";
import { readPicture } from "../support/pictures.ts";
import { freePort } from "../support/platform.ts";

const END = "--- end of a step ---";
const SESSION_MS = 60_000;

let folder: string;
let home: string;
let demo: ReturnType<typeof spawn>;
let ended: Promise<unknown>;
let output = "";

beforeAll(async () => {
  [folder, home] = await Promise.all([
    mkdtemp(join(tmpdir(), "sluice-tour-")),
    mkdtemp(join(tmpdir(), "sluice-tour-home-")),
  ]);
  await symlink(home, join(folder, ".sluice"));
  const ports = ["PORT", "ENCODER_PORT", "RTMP_PORT", "SRT_PORT", "INGEST_PORT"];
  const env: NodeJS.ProcessEnv = { ...process.env, SLUICE_HOME: home };
  for (const name of ports) env[name] = String(await freePort());
  demo = spawn(process.execPath, ["scripts/demo.ts", "--json", "--no-play"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  ended = new Promise((done) => demo.once("close", done));
  demo.stdout!.on("data", (chunk) => (output += String(chunk)));
  await eventually("the demo's clip is ready", async () => (output.includes(`"links"`) ? true : null));
});

afterAll(async () => {
  demo.kill("SIGTERM");
  await ended;
  await Promise.all([folder, home].map((path) => rm(path, { recursive: true, force: true })));
});

/** Commands of a second terminal; `npm` is the first one. */
const commandsOf = (page: string, heading: RegExp) =>
  codeBlocks(page).filter(
    (block) => block.language === "sh" && heading.test(block.heading) && !block.code.startsWith("npm "),
  );

/** The answer that the guide to private playback shows. */
const exampleOf = (heading: string): unknown =>
  JSON.parse(theBlock(codeBlocks("docs/guides/private-playback.md"), "json", heading));

/** Runs the steps in one shell. @returns the output of each */
async function session(steps: CodeBlock[]): Promise<string[]> {
  const script = steps.map(({ code }) => `${code}\necho; echo '${END}'`).join("\n");
  const child = spawn("bash", ["--norc", "-euo", "pipefail", "-c", script], { cwd: folder, timeout: SESSION_MS });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += String(chunk)));
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  const status = await new Promise<number | null>((done) => child.once("close", done));
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.split(END).map((text) => text.trim());
}

test("the guide to sources: the original and both files of a media are downloaded", async () => {
  const steps = commandsOf("docs/guides/sources.md", /^Let viewers download/);
  expect(steps).toHaveLength(2);
  await session(steps);
  const sizeOf = async (name: string) => (await stat(join(home, name))).size;
  expect(await sizeOf("original.mp4")).toBe((await stat("test/fixtures/flower.mp4")).size);
  expect(await sizeOf("film.mp4")).toBeGreaterThan(await sizeOf("film.m4a"));
  expect(await sizeOf("small.mp4")).toBeLessThanOrEqual(await sizeOf("film.mp4"));
});

test("the guide to playlists: one by hand and one by criteria list the newest media", async () => {
  const outputs = await session(commandsOf("docs/guides/playlists.md", /^A playlist/));
  const listed = outputs
    .slice(0, 2)
    .map((text) => JSON.parse(text.split("\n").at(-1)!) as { data: { mediaList: object[] } });
  for (const { data } of listed) {
    expect(data.mediaList.length).toBeGreaterThan(0);
    for (const media of data.mediaList) expect(media).toMatchObject({ status: "Ready" });
  }
});

test("the guide to images: thumbnails, clips and previews of the newest media", async () => {
  const steps = commandsOf("docs/guides/images.md", /./);
  expect(steps).toHaveLength(3);
  const previews = (await session(steps))[2]!;
  const read = async (name: string) =>
    await readPicture(await readFile(join(home, name)), name.slice(name.indexOf(".") + 1));
  expect(await read("second.webp")).toMatchObject({ codec: "webp", widthPx: 320 });
  expect(await read("square.png")).toMatchObject({ codec: "png", widthPx: 200, heightPx: 200 });
  expect(await read("clip.gif")).toMatchObject({ codec: "gif", widthPx: 160, frames: 20 });
  const [sheet, ...cues] = previews.split("\n");
  const json = JSON.parse(sheet!) as { sheetWidth: number; sheetHeight: number };
  expect(await read("sheet.jpg")).toMatchObject({ widthPx: json.sheetWidth, heightPx: json.sheetHeight });
  expect(cues.join("\n")).toContain("#xywh=0,0,");
});

test("the README's tour creates a media of the demo's clip and a stream", async () => {
  const steps = commandsOf("README.md", /^A short tour$/);
  expect(steps).toHaveLength(2);
  const [media, stream] = (await session(steps)) as [string, string];
  expect(JSON.parse(media)).toMatchObject({
    success: true,
    data: { title: "Tour", playbackIds: [{ accessPolicy: "public" }] },
  });
  expect(JSON.parse(stream)).toMatchObject({ success: true, data: { ingest: { rtmp: expect.any(String) } } });
});

test("a file is uploaded in one request, another in chunks, and a third over tus", async () => {
  const steps = commandsOf("docs/guides/uploading.md", /./);
  const [, whole, chunks, tus] = await session(steps);
  expect(whole).toBe('200\n"title":"Uploaded"');
  expect(chunks!.replaceAll("\r", "")).toMatch(/^Range: bytes=0-65535\n308\n20[01]$/); // capitalised, as iOS reads it
  expect(tus).toBe("204");
});

test("the first video is created, watched, played and deleted, in a folder that stays clean", async () => {
  const steps = commandsOf("docs/guides/first-video.md", /^\d\. /);
  const outputs = await session(steps);
  const after = (heading: string) =>
    steps.flatMap((step, index) => (step.heading.endsWith(heading) ? [outputs[index]!] : []));

  const [health] = after("Start the platform").slice(-1);
  expect(JSON.parse(health!)).toMatchObject({ status: "up", parts: { encoder: { status: "up" } } });
  const [, invalid] = after("Create a media");
  expect(JSON.parse(invalid!)).toMatchObject({ success: false, error: { fields: [{ field: "inputs[0].endTime" }] } });
  const [progress, manifest] = after("Watch it being processed");
  expect(progress).toMatch(/^(Created|Downloading|Validating|Processing|Ready)/);
  expect(manifest).toMatch(/^#EXTM3U\n(?:.*\n)*\S+\.m3u8$/m);
  expect(after("Delete it")).toEqual(['{"success":true}\n404']);
  expect(await readdir(folder)).toEqual([".sluice"]);
});

test("the guide to video data: a beacon is a view, questions about it are answered, it can be downloaded, watched for and forgotten", async () => {
  const steps = commandsOf("docs/guides/video-data.md", /^\d\. /);
  expect(steps).toHaveLength(8);
  const [status, views, answers, download, current, now, alerts, forgotten] = (await session(steps)) as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  expect(status).toBe("200");
  expect(JSON.parse(views)).toMatchObject({ data: [{ videoTitle: "Harbour", viewWatchTime: 9000 }] });
  const [startup, titles] = answers.split("\n");
  expect(JSON.parse(startup!)).toMatchObject({ data: { value: 400, totalViews: 1 } });
  expect(JSON.parse(titles!)).toMatchObject({ data: [{ field: "Harbour", views: 1 }] });
  expect(download).toMatch(/^\uFEFF?viewEnd,videoTitle,watchTime,country\r\n\S+Z,Harbour,9000,/);
  const [groups, minutes] = current.split("\n") as [string, string];
  expect(JSON.parse(groups)).toMatchObject({ data: [{ concurrentViewers: 1, dimensionName: "Storm" }] });
  const [once, ...stream] = now.split("\n") as [string, ...string[]];
  expect(JSON.parse(once)).toMatchObject({ data: { viewers: 1, media: [], countries: [{ viewers: 1 }] } });
  expect(stream.slice(0, 2)).toEqual(["retry: 1000", "event: now"]);
  expect(JSON.parse(stream[2]!.replace(/^data: /, ""))).toMatchObject({ viewers: 1, views: 1 });
  const [created, listed] = alerts.split("\n").map((text) => JSON.parse(text) as { data: unknown }) as [
    { data: { status: string } },
    { data: unknown[] },
  ];
  expect(created.data).toMatchObject({ metric: "error_rate", status: "ok", lastBucket: null });
  expect(listed.data).toEqual([created.data]);
  expect(minutes).toMatch(/"metricValue":\d,"numberOfViews":[12]\}\],"timespan":\[\d+,\d+\]\}$/);
  expect(JSON.parse(forgotten)).toEqual({ success: true, data: { deletedViews: 1, remainingViews: 0 } });
});

test("the guide to migrations: a dry run finds what is lost, the rest is migrated, and its old address plays", async () => {
  const steps = commandsOf("docs/guides/importing.md", /^\d\. /);
  expect(steps).toHaveLength(4);
  const [created, report, run, moved] = (await session(steps)) as [string, string, string, string];
  expect(JSON.parse(created)).toMatchObject({ success: true, data: { status: "scanning", dryRun: true } });
  expect(JSON.parse(report)).toMatchObject({
    data: {
      found: { videos: 2, policies: { public: 2 } },
      obstacles: [{ sourceId: "lost", code: "source_not_found" }],
    },
  });
  const [status, items] = run.split("\n");
  expect(status).toBe("200");
  const [item] = (JSON.parse(items!) as { data: { sourceId: string; mediaId: string; playbackId: string }[] }).data;
  expect(item).toMatchObject({ sourceId: "harbour", status: "ready", oldPlaybackIds: ["harbour"], differences: [] });
  const [, ...lines] = moved.split("\n");
  expect(lines.slice(0, 2).map((line) => line.trim())).toEqual([
    `harbour,harbour,${item!.mediaId},${item!.playbackId},ready,`,
    "lost,lost,,,excluded,",
  ]);
  expect(lines[2]).toBe("#EXTM3U");
  expect(await readFile(join(home, "report.html"), "utf8")).toContain("What cannot be fetched");
});

test("the guide to captions: added, waited for, played over HLS and DASH, renamed and deleted", async () => {
  const steps = commandsOf("docs/guides/captions-and-audio.md", /^\d\. /);
  const [added, available, played, changed] = (await session(steps)) as [string, string, string, string];
  expect(JSON.parse(added)).toMatchObject({ success: true, data: { type: "subtitle", languageName: "Italian" } });
  expect(JSON.parse(available)).toMatchObject({
    status: "available",
    captions: { format: "srt", encoding: "utf-8", cueCount: 2, skippedCues: 0 },
  });
  expect(played).toMatch(/^#EXT-X-MEDIA:TYPE=SUBTITLES,.*LANGUAGE="it".*\nmimeType="text\/vtt" lang="it"\nWEBVTT\n/);
  expect(played).toContain("00:00:00.500 --> 00:00:03.000\n<i>Buongiorno</i>");
  const [renamed, deleted] = changed.split("\n").map((text) => JSON.parse(text) as { success: boolean; data?: object });
  expect(renamed!.data).toMatchObject({ languageCode: "it-CH", languageName: "Italian (Switzerland)" });
  expect(deleted).toEqual({ success: true });
  expect(await readdir(folder)).toEqual([".sluice"]);
});

test("the guide to private playback: refused without a token, played with each kind of it, limited to a site", async () => {
  const steps = commandsOf("docs/guides/private-playback.md", /^\d\. /);
  const outputs = await session(steps);
  const after = (heading: string) =>
    steps.flatMap((step, index) => (step.heading.endsWith(heading) ? [outputs[index]!] : []));

  expect(JSON.parse(after("Create a private media")[0]!)).toEqual(exampleOf("1. Create a private media"));
  expect(after("Let the platform make a token")[0]).toMatch(/^#EXTM3U\n(?:.*\n)*\S+~\S+\.m3u8$/m);
  expect(after("Sign tokens yourself")).toEqual([
    "",
    "200",
    '{"success":true,"data":{"message":"signing key is revoked"}}\n401',
  ]);
  const [limited] = after("Limit where it plays");
  expect(limited).toMatch(/^\{"success":true,"data":\{"defaultPolicy":"deny",.*\}\n200\n403$/);
  expect(await readdir(folder)).toEqual([".sluice"]);
});

test("the guide to DRM: configured, encrypted, played with a licence, and refused without a token", async () => {
  const steps = commandsOf("docs/guides/drm.md", /^\d\. /);
  const outputs = await session(steps);
  const after = (heading: string) =>
    steps.flatMap((step, index) => (step.heading.endsWith(heading) ? [outputs[index]!] : []));
  expect(JSON.parse(after("Make a DRM configuration")[0]!)).toMatchObject({
    success: true,
    data: [{ id: expect.any(String) as string }],
    pagination: { totalRecords: 1 },
  });
  expect(after("Create an encrypted media")[0]).toMatch(
    /^#EXT-X-KEY:METHOD=SAMPLE-AES,.*KEYFORMAT="org\.w3\.clearkey"/,
  );
  const [page, licences] = after("Play it");
  expect(page).toMatch(/\/player\/[0-9a-f-]{36}\?token=/);
  expect(licences).toBe("200\n401");
  expect(await readdir(folder)).toEqual([".sluice"]);
});
