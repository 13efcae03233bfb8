/** A broadcast in two languages over SRT, each a tone: players list both, and switch to the tone of the other; its recording has both. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  eventTypesOf,
  eventually,
  type LiveStreamRecord,
  manifestOf,
  newLiveStream,
  segmentsOf,
  streamOf,
} from "../../../support/live-watch.ts";
import { sharedPlatform, type SharedPlatform } from "../../../support/platform.ts";
import { decodeSound } from "../../../support/rendition.ts";
import { toneAt } from "../../../support/tones.ts";
import { launchChromium } from "../../players/chromium.ts";
import type { LivePlayerName } from "../../players/live-page.ts";
import { servePlayerPage } from "../../players/page-server.ts";
import { inPage } from "./watch-live.ts";

const run = promisify(execFile);
const TONES = { en: 440, de: 660 } as const;
type Language = keyof typeof TONES;
const CODES: Record<Language, string> = { en: "eng", de: "ger" };

let platform: SharedPlatform;
let browser: Browser;
let page: Awaited<ReturnType<typeof servePlayerPage>>;
let stream: LiveStreamRecord;
let manifest: string;
let broadcaster: ChildProcess;

/** ffmpeg's muxer holds back up to 0.35 s of sound to fill its packets, and a broadcast that is ended from outside loses it. */
const SOUND_AT_ONCE = ["-muxdelay", "0"];

function broadcast(url: string, languages: Language[]): ChildProcess {
  const input = (source: string) => ["-re", "-f", "lavfi", "-i", source];
  const maps = languages.flatMap((_, n) => ["-map", `${n + 1}:a`]);
  const labels = languages.flatMap((language, n) => [`-metadata:s:a:${n}`, `language=${CODES[language]}`]);
  const words = [
    ...input("testsrc2=size=320x180:rate=15"),
    ...languages.flatMap((language) => input(`sine=f=${TONES[language]}:r=48000`)),
    ..."-map 0:v -c:v libx264 -preset ultrafast -pix_fmt yuv420p -bf 0 -g 30 -c:a aac -f mpegts".split(" "),
    ...SOUND_AT_ONCE,
    ...maps,
    ...labels,
    url,
  ];
  return spawn("ffmpeg", ["-v", "error", "-nostdin", ...words], { stdio: "ignore" });
}

async function end(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill();
  await gone;
}

beforeAll(async () => {
  [platform, browser, page] = await Promise.all([
    sharedPlatform({ withIngest: true }),
    launchChromium(),
    servePlayerPage("live-page.ts"),
  ]);
  stream = await newLiveStream(platform, { reconnectWindow: 60 });
  manifest = manifestOf(platform, stream);
  broadcaster = broadcast(stream.ingest.srt, ["en", "de"]);
  await eventually("segments", async () => ((await segmentsOf(await soundOf("German")))?.length ?? 0) > 1 || null);
}, 120_000);
afterAll(async () => {
  if (broadcaster?.exitCode === null) await end(broadcaster);
  await Promise.all([browser?.close(), page?.close()]);
});

/** The playlist of a sound. */
async function soundOf(name: string, url = manifest): Promise<string> {
  const text = await (await fetch(url)).text();
  const uri = new RegExp(`TYPE=AUDIO,.*NAME="${name}",LANGUAGE="..",.*URI="([^"]+)"`).exec(text)?.[1];
  if (uri === undefined) throw new Error(`no ${name} in ${text}`);
  return new URL(uri, url).href;
}

const near = (hz: number, language: Language) => Math.abs(hz - TONES[language]) < 30;
const isHeard = async (tab: Page, language: Language) =>
  near(await inPage(tab, (live) => live.toneHz()), language) || null;

test.each<[LivePlayerName, "m3u8" | "mpd"]>([
  ["hls.js", "m3u8"],
  ["dash.js", "mpd"],
  ["shaka", "m3u8"],
  ["shaka", "mpd"],
])(
  "%s lists both languages of the .%s, begins with the first, and switches between them",
  async (player, extension) => {
    const tab = await browser.newPage();
    try {
      await tab.goto(page.url);
      await tab.waitForFunction(() => "live" in window);
      const address = manifest.replace("m3u8", extension);
      await inPage(tab, (live, [name, url]: never[]) => live.play(name!, url!), [player, address]);
      await eventually("English", () => isHeard(tab, "en"));
      expect(await inPage(tab, (live) => live.sounds())).toEqual(["en", "de"]);
      for (const language of ["de", "en"] as const) {
        await inPage(tab, (live, code: never) => live.hear(code), language);
        await eventually(language, () => isHeard(tab, language), 30_000);
      }
      const { errors } = await inPage(tab, (live) => live.log());
      expect(errors.filter((error) => /^page|^video|fatal|"severity":2/.test(error))).toEqual([]);
    } finally {
      await tab.close();
    }
  },
);

test("the hosted page has a menu of both, and switches", async () => {
  const tab = await browser.newPage({ locale: "en-US" });
  try {
    await tab.goto(manifest.replace(/\/([^/]+)\.m3u8$/, "/player/$1"));
    await tab.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 0);
    const asked: string[] = [];
    tab.on("request", (request) => asked.push(request.url()));
    const items = tab.locator("media-audio-track-menu [role=menuitemradio]");
    expect((await items.allTextContents()).map((item) => item.trim())).toEqual(["English", "German"]);
    await items.nth(1).evaluate((item: HTMLElement) => item.click());
    await eventually("German", async () => asked.some((url) => /\/a2\/\d+\.m4s|\/a2\/\d+\.\d+\.m4s/.test(url)) || null);
    await tab.waitForFunction(() => {
      const video = document.querySelector("video")!;
      const tracks = Reflect.get(video, "audioTracks") as Iterable<{ language: string; enabled: boolean }>;
      return [...tracks].some(({ language, enabled }) => language === "de" && enabled) && !video.paused;
    });
  } finally {
    await tab.close();
  }
});

test.each(["m3u8", "mpd"])("ffprobe lists both languages of the .%s", async (extension) => {
  const entries = ["-show_entries", "stream=codec_type:stream_tags=language", "-of", "json"];
  const { stdout } = await run("ffprobe", ["-v", "error", ...entries, manifest.replace("m3u8", extension)]);
  const { streams } = JSON.parse(stdout) as { streams: { codec_type: string; tags?: { language?: string } }[] };
  const sounds = streams.filter(({ codec_type: type }) => type === "audio");
  expect(new Set(sounds.map(({ tags }) => tags?.language))).toEqual(new Set(["de", "en"]));
});

/** The last segment of a recording can be shorter than the time at which its tone is heard; its sound ends up to 0.1 s before its picture. */
const HEARD_AT_SECONDS = 0.3;
const LEAST_SECONDS = HEARD_AT_SECONDS + 0.2;

/** The tone in each segment of a sound; null: silence. */
async function tonesOf(playlist: string): Promise<(Language | null)[]> {
  const segments = (await segmentsOf(playlist)) ?? [];
  const bytesOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
  return await Promise.all(
    segments
      .filter(({ isGap, durationSeconds }) => !isGap && durationSeconds >= LEAST_SECONDS)
      .map(async ({ url, initUrl }) => {
        const sound = await decodeSound(Buffer.concat([await bytesOf(initUrl), await bytesOf(url)]));
        const hz = toneAt(sound, sound.startSeconds + HEARD_AT_SECONDS);
        return (["en", "de"] as const).find((language) => near(hz, language)) ?? null;
      }),
  );
}

test("after the broadcaster returns without a language, its viewers keep the picture; the others hear theirs, and the recording has both", async () => {
  const tab = await browser.newPage();
  try {
    await tab.goto(page.url);
    await tab.waitForFunction(() => "live" in window);
    await inPage(tab, (live, url: never) => live.play("hls.js", url), manifest);
    await eventually("English", () => isHeard(tab, "en"));
    const german = `${await soundOf("German")}?dvrMode=true`;
    await end(broadcaster);
    await eventually("its disconnection", async () => {
      const types = await eventTypesOf(platform, stream.streamId);
      return types.some((type) => type.includes("disconnected")) || null;
    });
    const countOf = async () => (await segmentsOf(german))?.length ?? 0;
    const leftAt = await countOf();
    // A broadcaster that returns at once leaves too little silence to be heard: one segment may have been under way.
    await eventually("held silence", async () => (await countOf()) > leftAt + 2 || null);
    const heldFrom = await countOf();
    broadcaster = broadcast(stream.ingest.srt, ["de"]);
    await eventually("media of the second broadcast", async () => {
      const text = await (await fetch(manifest)).text();
      return (!text.includes('NAME="English"') && (await countOf()) > heldFrom + 3) || null;
    });
    const newest = ((await segmentsOf(german)) ?? []).reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
    await eventually("the picture of the second broadcast", async () => {
      return (await inPage(tab, (live) => live.position())) > newest || null;
    });
    expect(await inPage(tab, (live) => live.toneHz())).toBe(0);
    await inPage(tab, (live) => live.hear("de"));
    await eventually("German", () => isHeard(tab, "de"));
    expect(new Set(await tonesOf(german))).toEqual(new Set(["de", null])); // null: held silence
  } finally {
    await tab.close();
  }
  await platform.api("PUT", `/v1/live/streams/${stream.streamId}/finish`);
  const mediaId = (await streamOf(platform, stream)).mediaIds![0]!;
  const recording = await eventually("the recording", async () => {
    const { body } = await platform.api<{ status: string; playbackIds: { id: string }[] }>(
      "GET",
      `/v1/on-demand/${mediaId}`,
    );
    return body.data.status === "Ready" ? `${platform.baseUrl}/${body.data.playbackIds[0]!.id}.m3u8` : null;
  });
  const [english, recorded] = await Promise.all(
    ["English", "German"].map(async (name) => await tonesOf(await soundOf(name, recording))),
  );
  expect([english![0], english!.at(-1), new Set(english)]).toEqual(["en", null, new Set(["en", null])]);
  expect([recorded![0], recorded!.at(-1), new Set(recorded)]).toEqual(["de", "de", new Set(["de", null])]);
}, 180_000);
