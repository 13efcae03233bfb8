/** Where an old address leads to. Pure. */
import { withQuery } from "../../media/manifest/query.ts";
import type { Resource } from "./resource.ts";

/** Of `GET /{playbackId}/thumbnail.jpg` (docs/guides/images.md). */
const MAX_STILL_PX = 4096;
const MAX_CLIP_PX = 640;
const MAX_CLIP_SECONDS = 10;
/** What Cloudflare Stream makes where its address does not say how long. */
const CLIP_SECONDS = 5;
const MAX_CLIP_RATE = 30;
const RESOLUTIONS = new Set(["240p", "270p", "360p", "480p", "540p", "720p", "1080p", "1440p", "2160p"]);

/** Names of Mux, which are ours, and those of Cloudflare Stream. */
const FITS: Record<string, string> = {
  preserve: "preserve",
  stretch: "stretch",
  crop: "crop",
  smartcrop: "smartcrop",
  pad: "pad",
  clip: "preserve",
  scale: "stretch",
  fill: "pad",
};

/**
 * The path of our address, from the new playback ID and closed tables alone. Parameters that ours has too are taken over, as far as it accepts their
 * values; all others are dropped, tokens of the old platform first of all: they do not open private media here.
 */
export function migratedTarget(resource: Resource, playbackId: string, query: URLSearchParams): string {
  switch (resource.kind) {
    case "hls":
      return withQuery(`/${playbackId}.m3u8`, selectionOf(query));
    case "dash":
      return withQuery(`/${playbackId}.mpd`, selectionOf(query));
    case "still":
      return withQuery(`/${playbackId}/thumbnail.${resource.format}`, stillOf(query));
    case "clip":
      return withQuery(`/${playbackId}/clip.${resource.format}`, clipOf(query));
    case "sheet":
      return resource.as === "vtt" ? `/${playbackId}/storyboard.vtt` : `/${playbackId}/spritesheet.${resource.as}`;
    case "page":
      return `/player/${playbackId}`;
    case "mp4":
      return `/${playbackId}/capped-4k.mp4`;
    case "sound":
      return `/${playbackId}/audio.m4a`;
  }
}

type Query = Record<string, string | null>;

/** As Mux has it; that of both ends, which contradict each other, would be refused. */
function selectionOf(query: URLSearchParams): Query {
  const size = (name: string) => (RESOLUTIONS.has(query.get(name) ?? "") ? query.get(name) : null);
  const [least, most] = [size("min_resolution"), size("max_resolution")];
  const isEmpty = least !== null && most !== null && Number.parseInt(least, 10) > Number.parseInt(most, 10);
  const order = query.get("rendition_order") === "desc" ? "desc" : null;
  return { minResolution: isEmpty ? null : least, maxResolution: most, renditionOrder: order };
}

function stillOf(query: URLSearchParams): Query {
  const [horizontal, vertical] = [query.get("flip_h") === "true", query.get("flip_v") === "true"];
  const flip = `${horizontal ? "h" : ""}${vertical ? "v" : ""}`;
  return {
    time: timeOf(query.get("time")),
    width: wholeOf(query.get("width"), MAX_STILL_PX),
    height: wholeOf(query.get("height"), MAX_STILL_PX),
    fit_mode: fitOf(query.get("fit_mode") ?? query.get("fit")),
    rotate: ["90", "180", "270"].includes(query.get("rotate") ?? "") ? query.get("rotate") : null,
    flip: flip === "" ? null : flip,
  };
}

/** Mux has `start` and `end`, Cloudflare Stream `time` and `duration`. */
function clipOf(query: URLSearchParams): Query {
  const start = timeOf(query.get("start") ?? query.get("time"));
  const from = Number(start ?? 0);
  const duration = timeOf(query.get("duration"));
  const end =
    timeOf(query.get("end")) ??
    (duration === null && start === null ? null : textOf(from + Number(duration ?? CLIP_SECONDS)));
  const isUsable = end !== null && Number(end) > from;
  return {
    start,
    end: isUsable ? textOf(Math.min(Number(end), from + MAX_CLIP_SECONDS)) : null,
    width: wholeOf(query.get("width"), MAX_CLIP_PX),
    height: wholeOf(query.get("height"), MAX_CLIP_PX),
    fps: wholeOf(query.get("fps"), MAX_CLIP_RATE),
  };
}

const fitOf = (mode: string | null) => (mode !== null && Object.hasOwn(FITS, mode) ? FITS[mode]! : null);

/** Seconds, from a number of them or from `1h2m3s`. Null = neither. */
function timeOf(text: string | null): string | null {
  if (text === null || text === "") return null;
  if (/^\d{1,6}(?:\.\d{1,20})?$/.test(text)) return textOf(Number(text));
  const [, hours, minutes, seconds] = /^(?:(\d{1,3})h)?(?:(\d{1,5})m)?(?:(\d{1,6}(?:\.\d{1,9})?)s)?$/.exec(text) ?? [];
  if (hours === undefined && minutes === undefined && seconds === undefined) return null;
  return textOf(Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0));
}

const textOf = (seconds: number): string => String(Math.round(seconds * 1000) / 1000);

/** A whole number from 1, at most `most`. */
function wholeOf(text: string | null, most: number): string | null {
  if (text === null || !/^\d{1,5}(?:\.0*)?$/.test(text) || Number(text) < 1) return null;
  return String(Math.min(Number(text), most));
}
