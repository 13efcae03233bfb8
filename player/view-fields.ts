/** What beacons say of a view, by the keys of the contract (media contract, analytics: the beacon words). */
import type HlsPlayer from "hls.js";
import type { ViewClock } from "../protocol/view-clock.ts";
import type { BeaconEvent } from "./beacon-queue.ts";
import type { ContentPlayed } from "./content-played.ts";

export interface ReportedPage {
  /** Where beacons go; it names the workspace. */
  beaconUrl: string;
  title: string;
  manifestUrl: string;
  isLive: boolean;
}

/** A view that has begun and is not over. */
export interface View {
  id: string;
  clock: ViewClock;
  content: ContentPlayed;
  events: number;
  lastEventMs: number;
}

/** Sent with every event: a few numbers, of which any may have changed. */
export function figuresOf({ clock, content }: View, video: HTMLVideoElement, hls: HlsPlayer | null, isLive: boolean) {
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

export function variantOf(hls: HlsPlayer | null): BeaconEvent {
  const level = hls?.levels[hls.currentLevel];
  if (level === undefined) return {};
  const { bitrate, width, height, frameRate, videoCodec } = level;
  return { vdsobi: bitrate, vdsowt: width, vdsoht: height, vdsofs: frameRate, vdsocc: videoCodec };
}

export function constantsOf(
  { title, manifestUrl, isLive }: ReportedPage,
  video: HTMLVideoElement,
  hls: HlsPlayer | null,
) {
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
