/**
 * Runs in the browser: three players on a live stream, with samples of what they show. The clock that is burnt into the picture is read back
 * from displayed frames (`scripts/live/clock-code.ts`).
 */
import { CODE_BITS, CODE_PLACE, decodeClock } from "../../../scripts/live/clock-code.ts";
import { toneMeter } from "./tone-meter.ts";

export type LivePlayerName = "hls.js" | "dash.js" | "shaka";

export interface LiveSample {
  shownAtMs: number; // epoch
  /** Capture time from the picture's clock; null when it could not be read. */
  capturedAtMs: number | null;
  positionSeconds: number;
  heightPx: number;
  /** The captions over the picture; "" = none. */
  captions: string;
}

interface Log {
  errors: string[];
  /** By the video element. */
  stalls: { atMs: number; positionSeconds: number }[];
  /** When hls.js reported a stall, and the error that it is among `errors`. */
  reportedStalls: { atMs: number; error: string }[];
}
const log: Log = { errors: [], stalls: [], reportedStalls: [] };
const samples: LiveSample[] = [];
const video = document.createElement("video");
video.muted = true;
video.playsInline = true;
document.body.append(video);
const canvas = new OffscreenCanvas(CODE_BITS * 4, 8);
const context = canvas.getContext("2d", { willReadFrequently: true })!;

let isExpectedToWait = true;
video.addEventListener("playing", () => (isExpectedToWait = false));
video.addEventListener("seeking", () => (isExpectedToWait = true));
video.addEventListener("waiting", () => {
  if (!isExpectedToWait && !video.seeking) log.stalls.push({ atMs: Date.now(), positionSeconds: video.currentTime });
});
video.addEventListener("error", () => log.errors.push(`video: ${video.error?.code} ${video.error?.message}`));
window.addEventListener("error", (event) => log.errors.push(`page: ${event.message}`));
window.addEventListener("unhandledrejection", (event) => log.errors.push(`page: ${String(event.reason)}`));

function readClock(): number | null {
  const { videoWidth: width, videoHeight: height } = video;
  const { left, right, top, bottom } = CODE_PLACE;
  const y = height * (top + (bottom - top) * 0.3);
  context.drawImage(
    video,
    width * left,
    y,
    width * (right - left),
    height * (bottom - top) * 0.4,
    0,
    0,
    canvas.width,
    canvas.height,
  );
  const { data } = context.getImageData(0, canvas.height / 2, canvas.width, 1);
  const bits = Array.from({ length: CODE_BITS }, (_, bit) => {
    const at = (bit * 4 + 1) * 4;
    return (data[at]! + data[at + 4]!) / 2 > 128 ? 1 : 0;
  });
  return decodeClock(bits, Date.now());
}

/** Reads the clock of one in this many pictures, because reading is slow. */
let readEvery = 1;
let seen = 0;
function look(_now: number, { expectedDisplayTime, mediaTime, height }: VideoFrameCallbackMetadata): void {
  video.requestVideoFrameCallback(look);
  seen += 1;
  if (seen % readEvery !== 0) return;
  samples.push({
    shownAtMs: performance.timeOrigin + expectedDisplayTime,
    capturedAtMs: readClock(),
    positionSeconds: mediaTime,
    heightPx: height,
    captions: captionsShown(),
  });
}

const captionsShown = (): string =>
  [...video.textTracks]
    .filter(({ mode }) => mode === "showing")
    .flatMap(({ activeCues }) => [...(activeCues ?? [])].map((cue) => Reflect.get(cue, "text") as string))
    .join("\n");

video.requestVideoFrameCallback(look);

interface LiveFace {
  seek(positionSeconds: number): void;
  /** Seeks to the player's own live position. */
  toLive(): void;
  /** The names of the captions. */
  captions(): string[];
  /** Shows the first captions. */
  showCaptions(): void;
  /** The languages of the sounds. */
  sounds(): string[];
  /** Plays the sound of this language. */
  hear(language: string): void;
}

let heard: (() => number) | undefined;

async function playHls(url: string, config: object): Promise<LiveFace> {
  const { default: HlsPlayer, ErrorDetails, Events } = await import("hls.js");
  const hls = new HlsPlayer({ enableWorker: true, lowLatencyMode: true, ...config });
  hls.on(Events.ERROR, (_event, data) => {
    const error = `hls.js: ${data.fatal ? "fatal " : ""}${data.type} ${data.details} ${data.error?.message ?? ""}`;
    log.errors.push(error);
    if (data.details === ErrorDetails.BUFFER_STALLED_ERROR) log.reportedStalls.push({ atMs: Date.now(), error });
  });
  hls.loadSource(url);
  hls.attachMedia(video);
  Object.assign(window, { hls });
  return {
    seek: seekElement,
    toLive: () => (video.currentTime = hls.liveSyncPosition ?? video.currentTime),
    captions: () => hls.subtitleTracks.map(({ name }) => name),
    showCaptions() {
      hls.subtitleDisplay = true;
      hls.subtitleTrack = 0;
    },
    sounds: () => hls.audioTracks.map(({ lang }) => lang ?? "und"),
    hear: (language) => (hls.audioTrack = hls.audioTracks.findIndex(({ lang }) => lang === language)),
  };
}

async function playDash(url: string, config: object): Promise<LiveFace> {
  const dashjs = await import("dashjs");
  const player = dashjs.MediaPlayer().create();
  player.updateSettings(config);
  player.on(dashjs.MediaPlayer.events.ERROR, (event: unknown) => log.errors.push(`dash.js: ${JSON.stringify(event)}`));
  player.on(dashjs.MediaPlayer.events.PLAYBACK_ERROR, () => log.errors.push("dash.js: playback error"));
  player.initialize(video, url, true);
  Object.assign(window, { dash: player });
  // A seek of the element alone would leave its live delay as it was: the catch-up then seeks back to the edge.
  return {
    seek: (seconds) => player.seekToPresentationTime(seconds),
    toLive: () => player.seekToOriginalLive(),
    captions: () => player.getTracksFor("text").flatMap(({ labels }) => labels.map(({ text }) => text)),
    showCaptions() {
      player.enableText(true);
      player.setTextTrack(0);
    },
    sounds: () => player.getTracksFor("audio").map(({ lang }) => lang ?? "und"),
    hear(language) {
      const track = player.getTracksFor("audio").find(({ lang }) => lang === language);
      if (track !== undefined) player.setCurrentTrack(track);
    },
  };
}

async function playShaka(url: string, config: object): Promise<LiveFace> {
  const { default: shaka } = await import("shaka-player");
  shaka.polyfill.installAll();
  const player = new shaka.Player();
  player.configure(config);
  player.addEventListener("error", (event: Event) =>
    log.errors.push(`shaka: ${JSON.stringify(Reflect.get(event, "detail"))}`),
  );
  await player.attach(video);
  await player.load(url);
  return {
    seek: seekElement,
    toLive: () => player.goToLive(),
    captions: () => player.getTextTracks().map(({ label }) => label ?? ""),
    showCaptions: () => player.selectTextTrack(player.getTextTracks()[0]),
    sounds: () => [...new Set(player.getVariantTracks().map(({ language }) => language))],
    hear(language) {
      const track = player.getVariantTracks().find((one) => one.language === language);
      if (track !== undefined) player.selectVariantTrack(track, true);
    },
  };
}

const seekElement = (positionSeconds: number): void => {
  video.currentTime = positionSeconds;
};
const PLAY = { "hls.js": playHls, "dash.js": playDash, shaka: playShaka };
let face: LiveFace;

export const live = {
  async play(name: LivePlayerName, url: string, config: object = {}, every = 1): Promise<void> {
    readEvery = every;
    face = await PLAY[name](url, config);
    // dash.js starts by itself. If playback starts before its listeners exist, it misses the event and requests no second MPD.
    if (name !== "dash.js") await video.play().catch(() => {}); // a change of the source can interrupt it
  },
  seek: (positionSeconds: number): void => face.seek(positionSeconds),
  toLive: (): void => face.toLive(),
  captions: (): string[] => face.captions(),
  showCaptions: (): void => face.showCaptions(),
  sounds: (): string[] => face.sounds(),
  hear: (language: string): void => face.hear(language),
  /** Unmutes the element. */
  toneHz: (): number => (heard ??= toneMeter(video))(),
  seekable: (): [number, number] | null =>
    video.seekable.length === 0 ? null : [video.seekable.start(0), video.seekable.end(0)],
  buffered: (): [number, number][] =>
    Array.from({ length: video.buffered.length }, (_, n) => [video.buffered.start(n), video.buffered.end(n)]),
  position: (): number => video.currentTime,
  /** Samples since the last call. */
  samples: (): LiveSample[] => samples.splice(0),
  log: () => log,
};
Object.assign(window, { live });
