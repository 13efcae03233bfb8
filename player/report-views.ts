/** Reports what a viewer lives through by beacons (media contract, analytics). */
import type HlsPlayer from "hls.js";
import { Events } from "hls.js";
import { type BeaconEvent, BeaconQueue } from "./beacon-queue.ts";
import { ContentPlayed } from "./content-played.ts";
import { randomId } from "./random-id.ts";
import { ViewClock } from "../protocol/view-clock.ts";

const PULSE_MS = 10_000;
/** After so long without an event the view is over, and what follows is another one. */
const SILENCE_MS = 3600_000;

interface ReportedPage {
  /** Where beacons go; it names the workspace. */
  beaconUrl: string;
  title: string;
  manifestUrl: string;
  isLive: boolean;
}

export interface ViewReporter {
  /** An error ended playback. */
  fail: (code: string, message: string) => void;
  /** The player is removed. */
  end: () => void;
}

/** A view that has begun and is not over. */
interface View {
  id: string;
  clock: ViewClock;
  content: ContentPlayed;
  events: number;
  lastEventMs: number;
}

/** A viewer who does not want to be tracked is not reported. */
const mayReport = (): boolean =>
  navigator.doNotTrack !== "1" && Reflect.get(navigator, "globalPrivacyControl") !== true;

/**
 * Reports the views of a player. The viewer is a random id of this page: nothing is stored in the browser.
 *
 * @param hls null = the browser plays HLS by itself
 */
export function reportViews(video: HTMLVideoElement, hls: HlsPlayer | null, page: ReportedPage): ViewReporter {
  if (page.beaconUrl === "" || !mayReport()) return { fail: () => undefined, end: () => undefined };
  const queue = new BeaconQueue(page.beaconUrl);
  const [playerId, viewerId] = [randomId(), randomId()];
  const createdMs = performance.now();
  const pageLoadMs = Math.round(Math.min(createdMs, domLoadedMs() || createdMs));
  let startupMs = 0;
  let view: View | null = null;
  let [playerEvents, playerViews] = [0, 0];
  const now = () => performance.now();

  const send = (name: string, fields: BeaconEvent = {}, isUrgent = false) => {
    if (view === null) return;
    view.lastEventMs = now();
    view.events += 1;
    playerEvents += 1;
    queue.add({
      veid: view.id,
      plinid: playerId,
      vesqnu: view.events,
      plsqnu: playerEvents,
      evna: name,
      vitp: Date.now(),
      plphti: Math.round(video.currentTime * 1000),
      ...figuresOf(view, video, hls, page.isLive),
      ...fields,
    });
    if (isUrgent) void queue.flush();
  };
  const begin = (atMs: number) => {
    if (view !== null && now() - view.lastEventMs > SILENCE_MS) view = null;
    if (view !== null) return;
    playerViews += 1;
    view = {
      id: randomId(),
      clock: new ViewClock(atMs),
      content: new ContentPlayed(),
      events: 0,
      lastEventMs: 0,
    };
    const counts = { plveco: playerViews, fpviid: viewerId, paloti: pageLoadMs, plspti: startupMs };
    send("viewBegin", { ...constantsOf(page, video, hls), ...counts, ...variantOf(hls) }, true);
  };
  const complete = () => {
    send("viewCompleted", {}, true);
    view = null;
  };

  /** @param atMs when it happened, which is before its listeners run */
  const listeners: Record<string, (atMs: number) => void> = {
    play: (atMs) => {
      begin(atMs);
      send("play");
    },
    playing: (atMs) => {
      view?.clock.playing(atMs);
      send("playing");
    },
    pause: (atMs) => {
      send("pause");
      view?.clock.paused(atMs);
    },
    seeking: (atMs) => {
      view?.clock.seeking(atMs);
      view?.content.jump();
      send("seeking");
    },
    seeked: (atMs) => {
      view?.clock.seeked(atMs, video.paused);
      send("seeked");
    },
    waiting: (atMs) => {
      view?.clock.waiting(atMs);
      send("waiting");
    },
    timeupdate: () => {
      if (video.seeking) return;
      view?.content.advance({
        playheadSeconds: video.currentTime,
        player: { width: video.clientWidth, height: video.clientHeight },
        video: { width: video.videoWidth, height: video.videoHeight },
      });
    },
    ended: () => {
      send("ended");
      complete();
    },
  };
  for (const [name, listener] of Object.entries(listeners))
    video.addEventListener(name, ({ timeStamp }) => listener(timeStamp));
  hls?.once(Events.MEDIA_ATTACHED, () => (startupMs = Math.round(now() - createdMs)));
  hls?.on(Events.LEVEL_SWITCHED, () => send("variantChanged", variantOf(hls)));
  const pulse = setInterval(() => {
    if (view !== null && !view.clock.isPaused && now() - view.lastEventMs >= PULSE_MS) send("pulse");
  }, PULSE_MS / 4);
  addEventListener("pagehide", () => {
    complete();
    queue.leave();
  });
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && queue.leave());

  const fail = (code: string, message: string) => {
    begin(now()); // playback that failed before it was asked for
    send("error", { plercd: code, plerms: message }, true);
    view = null;
  };
  if (hls === null)
    video.addEventListener("error", () => fail(`${video.error?.code ?? "unknown"}`, video.error?.message ?? ""));
  return {
    fail,
    end: () => {
      complete();
      clearInterval(pulse);
    },
  };
}

const domLoadedMs = () => {
  const [navigation] = performance.getEntriesByType("navigation");
  return navigation instanceof PerformanceNavigationTiming ? navigation.domContentLoadedEventEnd : 0;
};

/** What has changed since the previous event is not worth finding out: a few numbers. */
function figuresOf({ clock, content }: View, video: HTMLVideoElement, hls: HlsPlayer | null, isLive: boolean) {
  const { watchMs, seekMs, rebufferMs } = clock.read(performance.now());
  return {
    vewati: Math.round(watchMs),
    veseco: clock.seekCount,
    vesedu: Math.round(seekMs),
    verbco: clock.rebufferCount,
    verbdu: Math.round(rebufferMs),
    vetlctpbti: Math.round(content.playedMs),
    vemaphps: Math.round(content.furthestMs),
    vetlug: Math.round(content.upscaling),
    vetldg: Math.round(content.downscaling),
    vemauppg: content.mostUpscaling,
    vemadopg: content.mostDownscaling,
    vedrfrco: video.getVideoPlaybackQuality().droppedVideoFrames,
    plisfl: document.fullscreenElement !== null,
    ...(clock.startupMs === null ? {} : { vetitofifr: Math.round(clock.startupMs) }),
    ...(isLive && hls !== null && hls.latency > 0 ? { lismlt: Math.round(hls.latency * 1000) } : {}),
  } satisfies BeaconEvent;
}

function variantOf(hls: HlsPlayer | null): BeaconEvent {
  const level = hls?.levels[hls.currentLevel];
  if (level === undefined) return {};
  const { bitrate, width, height, frameRate, videoCodec } = level;
  return { vdsobi: bitrate, vdsowt: width, vdsoht: height, vdsofs: frameRate, vdsocc: videoCodec };
}

function constantsOf({ title, manifestUrl, isLive }: ReportedPage, video: HTMLVideoElement, hls: HlsPlayer | null) {
  return {
    plna: "Sluice page",
    plswna: hls === null ? "native" : "hls.js",
    plfpsdna: "sluice-page",
    plwt: video.clientWidth,
    plht: video.clientHeight,
    plauon: video.autoplay || isLive,
    plpron: video.preload === "auto",
    pllncd: navigator.language,
    vdtt: title,
    vdsmty: isLive ? "live" : "on-demand",
    vdsour: new URL(manifestUrl, location.href).href.replace(/\?.*$/, ""),
    vdsohn: location.hostname,
    vdsoty: "application/x-mpegurl",
    ...(Number.isFinite(video.duration) ? { vdsodu: Math.round(video.duration * 1000) } : {}),
    paur: location.origin + location.pathname,
  } satisfies BeaconEvent;
}
