/**
 * Runs in the browser: three players behind one interface. Records every error, so that a test can check that there was none.
 */

/** A rung that can be forced. */
export interface Rung {
  id: string;
  widthPx: number;
  heightPx: number;
}

interface Face {
  load(url: string): Promise<void>;
  rungs(): Rung[];
  force(rung: Rung): void;
  automatic(): void;
  version: string;
}

/** A picture further from the target of a seek is of before the seek. */
const SOUGHT_WITHIN_SECONDS = 0.5;
/** With this much buffered, a player that does not start waits for the machine and not for media. */
const STARTABLE_SECONDS = 2;
const log: { errors: string[]; stalls: { atSeconds: number }[] } = { errors: [], stalls: [] };
const video = document.createElement("video");
video.muted = true;
video.playsInline = true;
document.body.append(video);

/** False while a wait counts as a stall: outside of the start, seeks and the end. */
let isExpectedToWait = true;
const excuseWaiting = () => {
  isExpectedToWait = true;
};
video.addEventListener("playing", () => {
  isExpectedToWait = false;
});
video.addEventListener("seeking", excuseWaiting);
video.addEventListener("ended", excuseWaiting);
video.addEventListener("waiting", () => {
  if (!isExpectedToWait && !video.seeking && video.duration - video.currentTime > 0.1)
    log.stalls.push({ atSeconds: video.currentTime });
});
video.addEventListener("error", () => log.errors.push(`video: ${video.error?.code} ${video.error?.message}`));
window.addEventListener("error", (event) => log.errors.push(`page: ${event.message}`));
window.addEventListener("unhandledrejection", (event) => log.errors.push(`page: ${String(event.reason)}`));

/** @param licenseUrl of ClearKey; null = the media is clear */
async function hlsFace(licenseUrl: string | null): Promise<Face> {
  const { default: HlsPlayer, ErrorDetails, Events } = await import("hls.js");
  const drm = licenseUrl === null ? {} : { emeEnabled: true, drmSystems: { "org.w3.clearkey": { licenseUrl } } };
  const hls = new HlsPlayer({ enableWorker: true, ...drm });
  hls.on(Events.ERROR, (_event, data) => {
    // As for `waiting`: the start is expected to wait. A busy machine's decoder can take longer than hls.js allows, with all media buffered.
    const { details, buffer = 0 } = data;
    if (details === ErrorDetails.BUFFER_STALLED_ERROR && isExpectedToWait && buffer > STARTABLE_SECONDS) return;
    // A player that has all of a growing playlist waits for the encoder, which a busy machine can slow down.
    const playlist = hls.levels[hls.currentLevel]?.details;
    if (
      details === ErrorDetails.BUFFER_STALLED_ERROR &&
      playlist?.live &&
      video.currentTime + buffer > playlist.edge - 0.1
    )
      return;
    // hls.js also reports gaps that it skips as errors; a valid stream has none.
    log.errors.push(`hls.js: ${data.type} ${data.details} ${data.error?.message ?? ""}`);
  });
  return {
    version: HlsPlayer.version,
    load: (url) =>
      new Promise((resolve) => {
        hls.once(Events.LEVEL_LOADED, () => resolve());
        hls.loadSource(url);
        hls.attachMedia(video);
      }),
    rungs: () => hls.levels.map((level, n) => ({ id: String(n), widthPx: level.width, heightPx: level.height })),
    force: (rung) => {
      hls.currentLevel = Number(rung.id);
    },
    automatic: () => {
      hls.currentLevel = -1;
    },
  };
}

async function dashFace(licenseUrl: string | null): Promise<Face> {
  const dashjs = await import("dashjs");
  const player = dashjs.MediaPlayer().create();
  player.updateSettings({ streaming: { cacheInitSegments: true } });
  player.on(dashjs.MediaPlayer.events.ERROR, (event: unknown) => log.errors.push(`dash.js: ${JSON.stringify(event)}`));
  player.on(dashjs.MediaPlayer.events.PLAYBACK_ERROR, () => log.errors.push("dash.js: playback error"));
  const sets = () => player.getTracksFor("video");
  return {
    version: player.getVersion(),
    load: (url) =>
      new Promise((resolve) => {
        player.on(dashjs.MediaPlayer.events.STREAM_INITIALIZED, () => resolve());
        player.initialize(video, url, false);
        if (licenseUrl !== null) player.setProtectionData({ "org.w3.clearkey": { serverURL: licenseUrl } });
      }),
    rungs: () =>
      sets().flatMap((set, n) =>
        set.bitrateList.map((entry) => ({
          id: `${n}/${entry.id}`,
          widthPx: entry.width ?? 0,
          heightPx: entry.height ?? 0,
        })),
      ),
    force: (rung) => {
      const [set, id] = rung.id.split("/");
      player.updateSettings({ streaming: { abr: { autoSwitchBitrate: { video: false } } } });
      const wanted = sets()[Number(set)];
      if (wanted && wanted.index !== player.getCurrentTrackFor("video")?.index) player.setCurrentTrack(wanted);
      player.setRepresentationForTypeById("video", id ?? "", true);
    },
    automatic: () => player.updateSettings({ streaming: { abr: { autoSwitchBitrate: { video: true } } } }),
  };
}

async function shakaFace(licenseUrl: string | null): Promise<Face> {
  const { default: shaka } = await import("shaka-player");
  shaka.polyfill.installAll();
  const player = new shaka.Player();
  if (licenseUrl !== null) player.configure({ drm: { servers: { "org.w3.clearkey": licenseUrl } } });
  player.addEventListener("error", (event: Event) =>
    log.errors.push(`shaka: ${JSON.stringify(Reflect.get(event, "detail"))}`),
  );
  return {
    version: shaka.Player.version,
    load: async (url) => {
      await player.attach(video);
      await player.load(url);
    },
    rungs: () => {
      const seen = new Map<string, Rung>();
      for (const track of player.getVariantTracks()) {
        const id = `${track.width}x${track.height}/${track.videoCodec}/${track.videoBandwidth ?? track.bandwidth}`;
        if (!seen.has(id)) seen.set(id, { id, widthPx: track.width ?? 0, heightPx: track.height ?? 0 });
      }
      return [...seen.values()];
    },
    force: (rung) => {
      player.configure("abr.enabled", false);
      const tracks = player.getVariantTracks();
      const track = tracks.find(
        (one) => `${one.width}x${one.height}/${one.videoCodec}/${one.videoBandwidth ?? one.bandwidth}` === rung.id,
      );
      // Shaka may have chosen this rung after all of another one was buffered, and would then change nothing.
      const other = track?.active ? tracks.find(({ active }) => !active) : undefined;
      if (other) player.selectVariantTrack(other, true);
      if (track) player.selectVariantTrack(track, true);
    },
    automatic: () => player.configure("abr.enabled", true),
  };
}

const FACES = { "hls.js": hlsFace, "dash.js": dashFace, shaka: shakaFace };
export type PlayerName = keyof typeof FACES;
let face: Face;

/** The test's interface; see `play-through.ts`. */
export const harness = {
  async load(name: PlayerName, url: string, licenseUrl: string | null = null): Promise<{ version: string }> {
    face = await FACES[name](licenseUrl);
    await face.load(url);
    return { version: face.version };
  },
  async playToEnd(rate: number): Promise<{ currentTime: number; duration: number }> {
    const ended = new Promise<void>((resolve) => video.addEventListener("ended", () => resolve(), { once: true }));
    video.playbackRate = rate;
    await video.play();
    video.playbackRate = rate;
    await ended;
    return { currentTime: video.currentTime, duration: video.duration };
  },
  /**
   * Seeks during playback. Resolves once a picture from there was shown and playback continues. Playback pauses until then: a busy machine would
   * skip the first pictures.
   */
  async seekTo(seconds: number): Promise<{ shownSeconds: number }> {
    excuseWaiting();
    video.pause();
    video.currentTime = seconds;
    const shownSeconds = await new Promise<number>((resolve) => {
      let shown: number | null = null;
      let request = 0;
      const note = (_now: number, { mediaTime }: VideoFrameCallbackMetadata) => {
        if (Math.abs(mediaTime - seconds) < SOUGHT_WITHIN_SECONDS) shown = mediaTime;
        request = video.requestVideoFrameCallback(note);
      };
      const look = () => {
        if (shown === null || video.seeking) return void requestAnimationFrame(look);
        video.cancelVideoFrameCallback(request);
        resolve(shown);
      };
      request = video.requestVideoFrameCallback(note);
      look();
    });
    await video.play();
    const target = Math.min(seconds + 0.3, video.duration - 0.1);
    await new Promise<void>((resolve) => {
      const look = () => (video.currentTime >= target || video.ended ? resolve() : requestAnimationFrame(look));
      look();
    });
    return { shownSeconds };
  },
  rungs: (): Rung[] => face.rungs(),
  /** Forces a rung. Resolves once pictures of its size are shown and playback continues. */
  async force(rung: Rung): Promise<{ widthPx: number; heightPx: number }> {
    excuseWaiting();
    face.force(rung);
    if (video.ended || video.duration - video.currentTime < 2) video.currentTime = 0;
    await video.play();
    const restart = () => {
      // A short clip may end before the new rung has reached the picture.
      excuseWaiting();
      video.currentTime = 0;
      void video.play();
    };
    video.addEventListener("ended", restart);
    await new Promise<void>((resolve) => {
      let since: number | null = null;
      const look = (_now: number, { mediaTime, width, height }: VideoFrameCallbackMetadata) => {
        const isForced = width === rung.widthPx && height === rung.heightPx;
        if (!isForced || since === null || mediaTime < since) since = isForced ? mediaTime : null;
        if (since !== null && mediaTime - since > 0.3) resolve();
        else video.requestVideoFrameCallback(look);
      };
      video.requestVideoFrameCallback(look);
    });
    video.removeEventListener("ended", restart);
    return { widthPx: video.videoWidth, heightPx: video.videoHeight };
  },
  automatic: () => face.automatic(),
  duration: () => video.duration,
  decodedFrames: () => video.getVideoPlaybackQuality().totalVideoFrames,
  droppedFrames: () => video.getVideoPlaybackQuality().droppedVideoFrames,
  log: () => log,
};
Object.assign(window, { harness });
