import HlsPlayer from "hls.js";
import { untilPlayable } from "./availability.ts";
import { showBroadcastOver } from "./broadcast-over.ts";
import { placeCaptions } from "./caption-places.ts";
import { showChapters } from "./chapters.ts";
import { buildControls } from "./controls.ts";
import { showDvrPreviews } from "./dvr-previews.ts";
import { HLS_CONFIG } from "./hls-config.ts";
import { addressOf, showImages } from "./images.ts";
import { correctLabels } from "./labels.ts";
import { forwardKeys, seekByKeys } from "./keyboard.ts";
import { offerLateCaptions } from "./late-captions.ts";
import { licenseConfig } from "./licenses.ts";
import { showLive } from "./live.ts";
import { Notice } from "./notice.ts";
import { recover } from "./recover.ts";
import { reportViews } from "./report-views.ts";
import { keepControlsOfSound } from "./sound-alone.ts";
import { stopWords } from "./stop-words.ts";
import { exposeTracks } from "./track-lists.ts";

/** Poll intervals while a stream is off air: short for those who come as the broadcast begins, longer for those who come early. */
const OFF_AIR_PAUSES = [
  { polls: 60, pauseMs: 250 },
  { polls: 120, pauseMs: 1000 },
];
const LAST_PAUSE_MS = 3000;

const REFUSED = {
  heading: "This video cannot be played",
  text: "The server refused to deliver it.",
  mayRetry: true,
};

/** @param attempt from 0 */
function offAirPauseMs(attempt: number): number {
  let left = attempt;
  for (const { polls, pauseMs } of OFF_AIR_PAUSES) {
    if (left < polls) return pauseMs;
    left -= polls;
  }
  return LAST_PAUSE_MS;
}

/** @param isAfterBroadcast the page has played a broadcast that has ended */
async function start(main: HTMLElement, isAfterBroadcast = false): Promise<void> {
  const notice = new Notice(main);
  const source = main.dataset["src"] ?? "";
  const query = new URLSearchParams(location.search);
  query.delete("playbackId");
  const isStream = main.dataset["kind"] === "live";
  if (isStream) query.set("recordingAtEnd", "true"); // after a broadcast the page offers its recording, not its last minute
  const manifestUrl = query.size > 0 ? `${source}?${query}` : source;
  let player: Player | null = null;
  const waitOffAir = () => {
    notice.keep(false);
    player ??= prepare(main, notice, manifestUrl);
  };
  const outcome = isStream
    ? await untilPlayable(manifestUrl, waitOffAir, offAirPauseMs)
    : await untilPlayable(manifestUrl, () => notice.keep(true));
  if (outcome === "failed") {
    if (!(await notice.refresh())) notice.show(REFUSED);
    return;
  }
  notice.end();
  player ??= prepare(main, notice, manifestUrl);
  if (isAfterBroadcast) showBroadcastOver(player.root, player.video);
  play(main, player);
}

interface Player {
  /** Attached outside the page's main element until playback. */
  root: HTMLElement;
  video: HTMLVideoElement;
  load: () => void;
}

/** Builds the controls and the player in advance, to shorten the startup delay of a broadcast. */
function prepare(main: HTMLElement, notice: Notice, manifestUrl: string): Player {
  const { root, video } = buildControls(main.dataset["title"] ?? "");
  showImages(video, imagesOf(main));
  showChapters(root, video, chaptersOf(main));
  forwardKeys(root);
  seekByKeys(root, video);
  placeCaptions(root, video);
  keepControlsOfSound(root, video);
  // oxlint-disable-next-line import/no-named-as-default-member -- the types export no other name
  if (HlsPlayer.isSupported()) {
    const hls = new HlsPlayer({ ...HLS_CONFIG, ...licensesOf(main) });
    exposeTracks(video, hls);
    const reporter = reportViews(video, hls, reportedOf(main, manifestUrl));
    recover(hls, video, (code, message) => {
      reporter.fail(code, message);
      void notice.showStopped(stopWords(code, main.dataset["keySystems"] ?? "", isSecureContext));
    });
    // The playlist of a media that is still processed or uploaded grows too, and is no broadcast.
    if (main.dataset["kind"] === "live") {
      showDvrPreviews(video, hls, imagesOf(main));
      offerLateCaptions(root, video, hls);
      showLive(root, video, hls, reporter, () => {
        reporter.end();
        hls.destroy();
        root.remove();
        void start(main, true);
      });
    }
    hls.attachMedia(video);
    return { root: offstage(root), video, load: () => hls.loadSource(manifestUrl) };
  }
  // Browsers without Media Source Extensions play HLS natively.
  reportViews(video, null, reportedOf(main, manifestUrl));
  return { root: offstage(root), video, load: () => (video.src = manifestUrl) };
}

function reportedOf({ dataset }: HTMLElement, manifestUrl: string) {
  const { title = "", beacons = "", kind } = dataset;
  return { beaconUrl: beacons, title, manifestUrl, isLive: kind === "live" };
}

function imagesOf({ dataset }: HTMLElement) {
  const { images = "", src = "" } = dataset;
  const query = new URLSearchParams(location.search);
  const base = src.replace(/\.m3u8$/, "");
  const isLive = dataset["kind"] === "live";
  const address = addressOf(base, query.get("token"));
  return { offered: images, address, posterTime: timeOf(query.get("thumbnail-time")), isLive };
}

/** Null = the media has none. */
function chaptersOf({ dataset }: HTMLElement): string | null {
  const token = new URLSearchParams(location.search).get("token");
  const address = dataset["chapters"];
  if (address === undefined) return null;
  return token === null ? address : `${address}?${new URLSearchParams({ token })}`;
}

/** What is no time is left out: the default poster is better than none. */
const timeOf = (text: string | null) => (text !== null && /^\d+(\.\d+)?$/.test(text) ? text : null);

/** For encrypted media, which plays in browsers with Media Source Extensions only. */
function licensesOf(main: HTMLElement) {
  const [, playbackId = ""] = /^\/([0-9a-f-]+)\.m3u8$/.exec(main.dataset["src"] ?? "") ?? [];
  const token = new URLSearchParams(location.search).get("token");
  return licenseConfig(main.dataset["keySystems"] ?? "", playbackId, token);
}

/** Attaches the controls hidden, so that they initialize before playback. */
function offstage(root: HTMLElement): HTMLElement {
  const stage = document.createElement("div");
  stage.hidden = true;
  stage.append(root);
  document.body.append(stage);
  return root;
}

function play(main: HTMLElement, { root, load }: Player) {
  const stage = root.parentElement;
  load();
  main.replaceChildren(root);
  correctLabels(root);
  stage?.remove();
}

const main = document.querySelector<HTMLElement>("#player");
if (main) void start(main);
