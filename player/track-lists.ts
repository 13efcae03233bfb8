import type HlsPlayer from "hls.js";
import { Events } from "hls.js";

interface QualityItem {
  id: string;
  width: number;
  height: number;
  bitrate: number;
}

/** The quality levels in the form the controls expect on a media element; index -1 means automatic. */
class QualityList extends EventTarget {
  private readonly hls: HlsPlayer;

  constructor(hls: HlsPlayer) {
    super();
    this.hls = hls;
    hls.on(Events.MANIFEST_PARSED, () => this.dispatchEvent(new Event("addrendition")));
    hls.on(Events.LEVELS_UPDATED, () => this.dispatchEvent(new Event("addrendition")));
    const proxy = new Proxy(this, {
      // The controls access items by index, as in an array.
      get: (list, key) => (typeof key === "string" && /^\d+$/.test(key) ? list.items()[Number(key)] : bound(list, key)),
      set: (list, key, value) => Reflect.set(list, key, value, list),
    });
    return proxy;
  }

  get length() {
    return this.hls.levels.length;
  }

  get selectedIndex() {
    return this.hls.manualLevel; // `nextLevel` is that of the media already buffered
  }

  set selectedIndex(index: number) {
    this.hls.nextLevel = index;
    this.dispatchEvent(new Event("change"));
  }

  [Symbol.iterator]() {
    return this.items()[Symbol.iterator]();
  }

  private items(): QualityItem[] {
    return this.hls.levels.map((level, n) => ({
      id: String(n),
      width: level.width,
      height: level.height,
      bitrate: level.bitrate,
    }));
  }
}

/** The audio tracks in the form of `HTMLMediaElement.audioTracks`, which not all browsers support. */
class SoundList extends EventTarget {
  private readonly hls: HlsPlayer;

  constructor(hls: HlsPlayer) {
    super();
    this.hls = hls;
    hls.on(Events.AUDIO_TRACKS_UPDATED, () => this.dispatchEvent(new Event("addtrack")));
    hls.on(Events.AUDIO_TRACK_SWITCHED, () => this.dispatchEvent(new Event("change")));
  }

  *[Symbol.iterator]() {
    const { hls } = this;
    for (const [n, track] of hls.audioTracks.entries()) {
      yield {
        id: String(n),
        kind: track.default ? "main" : "alternative",
        label: track.name,
        language: track.lang ?? "",
        get enabled() {
          return hls.audioTrack === n;
        },
        set enabled(on: boolean) {
          if (on) hls.audioTrack = n;
        },
      };
    }
  }
}

function bound(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key, target);
  return typeof value === "function" ? value.bind(target) : value;
}

/** Adds the lists from which the controls build their menus to the media element. */
export function exposeTracks(video: HTMLVideoElement, hls: HlsPlayer): void {
  Object.defineProperty(video, "videoRenditions", { value: new QualityList(hls), configurable: true });
  Object.defineProperty(video, "audioTracks", { value: new SoundList(hls), configurable: true });
}
