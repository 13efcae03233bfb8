/** `npm run demo`: starts the whole platform on this machine and processes one clip with it. */
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { flag, text } from "../sdk/cli/terminal/command-line.ts";
import { readScript, refuseUsage } from "./command/script.ts";
import { Deliveries, type Delivery, type RefusedDelivery } from "./demo/deliveries.ts";
import { journey, type Moment } from "./demo/journey.ts";
import { uploadJourney } from "./demo/upload.ts";
import { LiveDemo, type LiveMoment } from "./demo/live.ts";
import { type NoView, playAndMeasure, type PlayedView, viewRows } from "./demo/play.ts";
import { openPage } from "./demo/open-page.ts";
import { Screen } from "../sdk/cli/terminal/screen.ts";
import { CommandError } from "../sdk/cli/terminal/usage-error.ts";
import { serveFile } from "./local/file-server.ts";
import { type Platform, startPlatform } from "./local/platform.ts";
import { loadSettings, StartError } from "./local/settings.ts";
import { SOURCE_ERRORS } from "../src/library/sources/source-errors.ts";
import { stopWithNpm } from "./local/stop-with-npm.ts";

const DEMO = {
  name: "demo",
  argument: "URL or FILE",
  about: `Starts Sluice, processes a clip from POST /v1/on-demand to playback, shows the webhooks that are sent meanwhile, prints
where to watch the clip, and keeps running. Without a URL or file it uses a clip that comes with Sluice.`,
  options: {
    live: flag(`broadcasts the file over RTMP instead, in a loop with a clock in the picture; opens the player page,
which shows the latency`),
    upload: text(
      "FILE",
      `uploads a file in chunks over 8 s, so that it can be watched meanwhile; a standard MP4 whose index is in front
plays before it is whole`,
    ),
    "no-play": flag("does not play the clip in Chromium, where there is one, to show the view that is recorded of it"),
    json: flag("prints one JSON object per line"),
    exit: flag("stops once the clip is ready; with --live, once the broadcast has been recorded"),
  },
  notes: "It takes the environment variables of npm start, which npm start -- --help names.",
};

const BUNDLED_CLIP = "test/fixtures/flower.mp4";
const LIVE_CLIP = "test/fixtures/friday.mp4";
/** The last delivery usually arrives within milliseconds. The limit allows for a busy machine. */
const LAST_DELIVERY_MS = 10_000;
const { values, words } = readScript(DEMO);
const { live: isLive, upload: uploaded, json: isJson, exit: isExit } = values;
const [given] = words;
if (isLive && uploaded !== undefined) refuseUsage(DEMO, "--live and --upload exclude each other.");
const screen = new Screen();
const say = (moment: object) => isJson && console.log(JSON.stringify(moment));
let lastSaid = "";
/** Does not repeat unchanged progress. */
const sayOnce = ({ afterMs, ...news }: Moment & { afterMs?: number }) => {
  const text = JSON.stringify(news);
  if (text === lastSaid) return;
  lastSaid = text;
  say({ ...news, ...(afterMs === undefined ? {} : { afterMs }) });
};
const timeOf = (iso: string) => new Date(iso).toLocaleTimeString("en-GB");
const ms = (value: number) => (value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`);

async function openSource(text: string): Promise<{ url: string; name: string; close: () => void }> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    if (uploaded !== undefined) throw new StartError(`--upload takes a file, not a URL: "${text}".`);
    if (!URL.canParse(text)) throw new StartError(`"${text}" is not a valid URL.`);
    const { protocol, pathname } = new URL(text);
    if (!/^https?:$/.test(protocol)) throw new StartError(`"${text}" cannot be fetched: only http and https URLs can.`);
    return { url: text, name: basename(pathname) || text, close: () => undefined };
  }
  const found = await stat(text).catch(() => null);
  const wanted = `Give ${uploaded === undefined ? "a URL or " : ""}the path of a video file.`;
  if (found === null) throw new StartError(`There is no file "${text}". ${wanted}`);
  if (!found.isFile()) throw new StartError(`"${text}" is ${found.isDirectory() ? "a folder" : "no file"}. ${wanted}`);
  return { ...(await serveFile(text)), name: basename(text) };
}

function show(moment: Moment): void {
  if (isJson) return sayOnce(moment);
  switch (moment.kind) {
    case "accepted":
      return screen.step("Accepted", ms(moment.tookMs), `media ${moment.mediaId}`);
    case "probed":
      return screen.step("Probed", ms(moment.afterMs), moment.summary);
    case "playable":
      return screen.step(
        `Playable (${moment.by})`,
        ms(moment.afterMs),
        `${moment.sentPercent === undefined ? "" : `with ${moment.sentPercent} % of the file sent; `}first segment fetched, ${Math.round(moment.segmentBytes / 1024)} KiB`,
      );
    case "uploaded":
      return screen.step("Uploaded", ms(moment.afterMs), `${Math.round(moment.bytes / 1024)} KiB`);
    case "progress": {
      const speed = moment.speed === null ? "" : `${moment.speed.toFixed(1)}× real time`;
      return screen.bars(
        moment.renditions.map(({ name, percent }) => ({ name, percent, note: name.startsWith("v") ? speed : "" })),
      );
    }
    case "retry":
      return screen.text(
        `${sourceProblem(moment.reason)} (${moment.reason}) It is tried again at ${timeOf(moment.nextAttemptAt)}.`,
      );
    case "ready":
      return screen.step("Ready", ms(moment.afterMs), `the whole ladder, ${moment.duration}`);
    case "failed":
      return screen.failure("Failed", `${moment.code}: ${moment.message}`);
  }
}

function showLive(moment: LiveMoment): void {
  if (isJson) return void say(moment);
  switch (moment.kind) {
    case "stream":
      return screen.step("Stream", ms(moment.tookMs), moment.streamId);
    case "on_air":
      return screen.step("Broadcasting", ms(moment.connectedMs), "720p30 over RTMP, a clock in the picture");
    case "first_part":
      return screen.step("Playable", ms(moment.afterMs), "from the first byte sent to the first part fetched");
    case "edge":
      return screen.step("Live edge", ms(moment.behindMs), `behind the capture; ${moment.renditions.join(", ")}`);
    case "recorded":
      return screen.step("Recorded", ms(moment.afterEndMs), `after the end; media ${moment.mediaId}`);
    case "failed":
      return screen.failure("Failed", moment.message);
  }
}

function showDelivery(delivery: Delivery | RefusedDelivery): void {
  if (isJson) return void say(delivery);
  if (delivery.kind === "delivery_refused") return screen.failure("Webhook refused", delivery.why);
  const whose = delivery.isOther ? `of another object, ${delivery.objectId}` : "signature verified ✓";
  screen.delivery(delivery.type, ms(delivery.afterChangeMs), `after the change, by webhook · ${whose}`);
  if (delivery.droppedRungs !== undefined)
    screen.text(`the encoder cannot keep up and has stopped making ${delivery.droppedRungs.join(", ")}`);
}

/** Opens the receiver of webhooks. The demo continues without it after an error. */
async function openDeliveries(platform: Platform): Promise<Deliveries | null> {
  try {
    return await Deliveries.open(platform, showDelivery);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (isJson) say({ kind: "no_deliveries", message: error.message });
    else screen.text(`Webhooks are not shown. ${error.message}`);
    return null;
  }
}

async function run(): Promise<number> {
  stopWithNpm();
  const startedAt = performance.now();
  const source = await openSource(uploaded ?? given ?? (isLive ? LIVE_CLIP : BUNDLED_CLIP));
  if (!isJson) screen.title(`Sluice · ${source.name}`);
  // The clip is served from this machine, so the demo allows private addresses.
  const settings = await loadSettings(process.env, { allowPrivateNetwork: true, clip: source.url });
  let isStopping = false;
  const platform = await startPlatform(settings, (part) => {
    if (isStopping) return; // Ctrl-C also reaches the parts
    if (isJson) say({ kind: "restarted", part });
    else screen.text(`the ${part} exited and is restarted`);
  });
  let deliveries: Deliveries | null = null;
  const live = new LiveDemo(platform, (moment) => {
    showLive(moment);
    if (moment.kind === "stream") deliveries?.follow(moment.streamId);
  });
  const stop = async () => {
    isStopping = true;
    source.close();
    await live.stop();
    await deliveries?.stop();
    await platform.stop();
  };
  // A terminal and npm may both forward a Ctrl-C: the second one must not interrupt the shutdown.
  const stopOnce = () => void (isStopping || stop().finally(() => process.exit(0)));
  process.on("SIGINT", stopOnce);
  process.on("SIGTERM", stopOnce);
  if (isJson) say({ kind: "up", baseUrl: platform.baseUrl, tookMs: Math.round(performance.now() - startedAt) });
  else screen.step("Platform up", ms(performance.now() - startedAt), platform.baseUrl);
  deliveries = await openDeliveries(platform);
  const watching = isLive ? broadcast(platform, live, deliveries) : follow(platform, source, deliveries);
  const isReady = await watching.catch((error: unknown) => {
    if (isStopping) return null; // the platform was stopped between two requests
    throw error;
  });
  if (isReady === null) return -1; // stopOnce ends the process
  if (!isExit) {
    if (!isJson) screen.text("The platform keeps running. Ctrl-C stops it.");
    return -1;
  }
  await stop();
  return isReady ? 0 : 1;
}

async function broadcast(platform: Platform, live: LiveDemo, deliveries: Deliveries | null): Promise<boolean> {
  if (!(await live.begin(given ?? LIVE_CLIP))) return false;
  if (!isExit) {
    printLinks(platform, live.playbackId);
    if (!isJson) openPage(`${platform.baseUrl}/player/${live.playbackId}`);
    return true;
  }
  const isRecorded = await live.finish();
  await deliveries?.untilShown(["video.live_stream.idle"], LAST_DELIVERY_MS);
  return isRecorded;
}

async function follow(
  platform: Platform,
  source: { url: string; name: string },
  deliveries: Deliveries | null,
): Promise<boolean> {
  let playbackId = "";
  let last: Moment | undefined;
  const moments =
    uploaded === undefined
      ? journey(platform, source.url, source.name)
      : uploadJourney(platform, uploaded, source.name);
  for await (const moment of moments) {
    if (moment.kind === "accepted") ({ playbackId } = moment);
    if (moment.kind === "playable" && uploaded !== undefined && !isJson)
      screen.text(`Watch it while it is uploaded: ${platform.baseUrl}/player/${playbackId}`);
    show(moment);
    deliveries?.after(moment);
    last = moment;
  }
  if (playbackId !== "") await deliveries?.untilShown(["asset.ready", "asset.errored"], LAST_DELIVERY_MS);
  if (last?.kind !== "ready") return false;
  printLinks(platform, playbackId);
  if (values["no-play"]) return true;
  const play = await playAndMeasure(platform, playbackId);
  if (play.kind === "view") await deliveries?.untilShown(["playback.completed", "playback.errored"], LAST_DELIVERY_MS);
  showPlay(play);
  return true;
}

function showPlay(play: PlayedView | NoView): void {
  if (isJson) return void say(play);
  if (play.kind === "no_view") return screen.text(play.message);
  screen.text("Played once in a browser. The view that the platform recorded (docs/guides/video-data.md):");
  screen.links(viewRows(play));
}

function printLinks({ baseUrl, settings }: Platform, playbackId: string): void {
  const links: [string, string][] = [
    ["Player", `${baseUrl}/player/${playbackId}`],
    ["HLS", `${baseUrl}/${playbackId}.m3u8`],
    ["DASH", `${baseUrl}/${playbackId}.mpd`],
    ["API", `${baseUrl}/v1/reference`],
    ["Credentials", `${settings.home}/local.json`],
  ];
  if (isJson) say({ kind: "links", ...Object.fromEntries(links.map(([name, url]) => [name.toLowerCase(), url])) });
  else screen.links(links);
}

try {
  const code = await run();
  if (code >= 0) process.exit(code);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  if (isJson) say({ kind: "error", message: error.message });
  else screen.failure("Not started", error.message);
  process.exit(1);
}

function sourceProblem(reason: string): string {
  if (!Object.hasOwn(SOURCE_ERRORS, reason)) return "The source could not be read.";
  return SOURCE_ERRORS[reason as keyof typeof SOURCE_ERRORS].message;
}
