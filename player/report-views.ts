/** Reports what a viewer lives through by beacons (media contract, analytics). */
import type HlsPlayer from "hls.js";
import { Events } from "hls.js";
import { type BeaconEvent, BeaconQueue } from "./beacon-queue.ts";
import { ContentPlayed } from "./content-played.ts";
import { constantsOf, figuresOf, type ReportedPage, type View, variantOf } from "./view-fields.ts";
import { randomId } from "./random-id.ts";
import { ViewClock } from "../protocol/view-clock.ts";

const PULSE_MS = 10_000;
/** After so long without an event the view is over, and what follows is another one. */
const SILENCE_MS = 3600_000;

export interface ViewReporter {
  /**
   * The page itself asked for playback, which begins once there is enough media. The startup counts from then.
   *
   * @param atMs by `performance.now()`
   */
  attempt: (atMs: number) => void;
  /** The browser does not play before the viewer asks for it, so there was no attempt. */
  withdrawAttempt: () => void;
  /** An error ended playback. */
  fail: (code: string, message: string) => void;
  /** The player is removed. */
  end: () => void;
}

const nothing = () => undefined;
const SILENT: ViewReporter = { attempt: nothing, withdrawAttempt: nothing, fail: nothing, end: nothing };

/** A viewer who does not want to be tracked is not reported. */
const mayReport = (): boolean =>
  navigator.doNotTrack !== "1" && Reflect.get(navigator, "globalPrivacyControl") !== true;

/**
 * Reports the views of a player. The viewer is a random id of this page: nothing is stored in the browser.
 *
 * @param hls null = the browser plays HLS by itself
 */
export function reportViews(video: HTMLVideoElement, hls: HlsPlayer | null, page: ReportedPage): ViewReporter {
  if (page.beaconUrl === "" || !mayReport()) return SILENT;
  const queue = new BeaconQueue(page.beaconUrl);
  const [playerId, viewerId] = [randomId(), randomId()];
  const createdMs = performance.now();
  const pageLoadMs = Math.round(Math.min(createdMs, domLoadedMs() || createdMs));
  let startupMs = 0;
  let view: View | null = null;
  /** When the page asked for playback that has not begun yet. */
  let attemptedMs: number | null = null;
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
  /** @param atMs when playback was asked for, unless the page did that earlier */
  const begin = (atMs: number) => {
    const askedMs = attemptedMs ?? atMs;
    attemptedMs = null;
    if (view !== null && now() - view.lastEventMs > SILENCE_MS) view = null;
    if (view !== null) return;
    playerViews += 1;
    view = {
      id: randomId(),
      clock: new ViewClock(askedMs),
      content: new ContentPlayed(),
      events: 0,
      lastEventMs: 0,
    };
    const counts = { plveco: playerViews, fpviid: viewerId, paloti: pageLoadMs, plspti: startupMs };
    const begun = { ...constantsOf(page, video, hls), ...counts, vitp: Date.now() - Math.round(now() - askedMs) };
    send("viewBegin", { ...begun, ...variantOf(hls) }, true);
  };
  const complete = () => {
    if (attemptedMs !== null) begin(attemptedMs); // the viewer left before anything was played
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
    if (view === null || view.clock.isPaused || now() - view.lastEventMs < PULSE_MS) return;
    begin(now()); // another view, if the machine was asleep for that long
    send("pulse");
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
    attempt: (atMs) => (attemptedMs = view === null ? atMs : null),
    withdrawAttempt: () => (attemptedMs = null),
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
