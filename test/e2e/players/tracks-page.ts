/** Runs in the browser: three players, their subtitles, sound and previews, behind one interface. */
import { toneMeter } from "./tone-meter.ts";

interface Face {
  load(url: string): Promise<void>;
  subtitles(): string[];
  show(language: string): void;
  sounds(): string[];
  hear(language: string): void;
  /** For players that cannot seek like any video element. */
  goTo?(seconds: number): Promise<void>;
  /** The picture for a time, of players that read tiles of pictures. */
  preview?(seconds: number): Promise<Preview | null>;
}
export interface Preview {
  uri: string;
  place: { x: number; y: number; widthPx: number; heightPx: number };
}

const errors: string[] = [];
const video = document.createElement("video");
video.muted = true;
video.playsInline = true;
video.loop = true;
document.body.append(video);

/** Whether the buffer reaches from the first to the last picture. */
function isWholeBuffered(): boolean {
  const { buffered, duration } = video;
  return buffered.length === 1 && buffered.start(0) < 0.1 && buffered.end(0) > duration - 0.1;
}

async function hlsFace(): Promise<Face> {
  const { default: HlsPlayer, ErrorDetails, Events } = await import("hls.js");
  const hls = new HlsPlayer();
  hls.on(Events.ERROR, (_, { details, error }) => {
    // With all media in the buffer, a busy machine is late at the seek to the beginning: nothing is missing.
    if (details === ErrorDetails.BUFFER_STALLED_ERROR && isWholeBuffered()) return;
    // Reported for requests that a switch to another track ends.
    if (details !== ErrorDetails.INTERNAL_ABORTED) errors.push(`hls.js: ${details} ${error?.message ?? ""}`);
  });
  return {
    load: (url) =>
      new Promise((resolve) => {
        hls.once(Events.LEVEL_LOADED, () => resolve());
        hls.loadSource(url);
        hls.attachMedia(video);
      }),
    subtitles: () => hls.subtitleTracks.map(({ lang }) => lang ?? ""),
    show(language) {
      hls.subtitleDisplay = true;
      hls.subtitleTrack = hls.subtitleTracks.findIndex(({ lang }) => lang === language);
    },
    sounds: () => hls.audioTracks.map(({ lang }) => lang ?? "und"),
    hear(language) {
      hls.audioTrack = hls.audioTracks.findIndex(({ lang }) => lang === language);
    },
  };
}

async function dashFace(): Promise<Face> {
  const dashjs = await import("dashjs");
  const player = dashjs.MediaPlayer().create();
  player.on(dashjs.MediaPlayer.events.ERROR, (event: unknown) => errors.push(`dash.js: ${JSON.stringify(event)}`));
  const languagesOf = (kind: "audio" | "text") => player.getTracksFor(kind).map(({ lang }) => lang ?? "und");
  return {
    load: (url) =>
      new Promise((resolve) => {
        player.on(dashjs.MediaPlayer.events.STREAM_INITIALIZED, () => resolve());
        player.initialize(video, url, false);
      }),
    subtitles: () => languagesOf("text"),
    show(language) {
      player.enableText(true);
      player.setTextTrack(languagesOf("text").indexOf(language));
    },
    sounds: () => languagesOf("audio"),
    hear(language) {
      const track = player.getTracksFor("audio").find(({ lang }) => lang === language);
      if (track !== undefined) player.setCurrentTrack(track);
    },
    // dash.js 5.2.1 loses some seeks forward into a Period that it has loaded: it empties its buffers for the seek, and when a timer of its own
    // ends the old Period meanwhile, it plays on in the new one as if that were still buffered. So playback goes there, fast.
    goTo: async (seconds) => {
      video.playbackRate = 4;
      await untilFrame(() => video.currentTime >= seconds);
      video.playbackRate = 1;
    },
    preview: (seconds) =>
      new Promise((resolve) =>
        player.provideThumbnail(seconds, (tile) => {
          if (tile === null) return resolve(null);
          const { url: uri, x, y, width: widthPx, height: heightPx } = tile;
          resolve({ uri, place: { x, y, widthPx, heightPx } });
        }),
      ),
  };
}

async function shakaFace(): Promise<Face> {
  const { default: shaka } = await import("shaka-player");
  shaka.polyfill.installAll();
  const player = new shaka.Player();
  // In HLS, Shaka shows subtitles that are selected late only once another segment of the picture is appended.
  player.configure("streaming.bufferingGoal", 1);
  player.addEventListener("error", (event) => errors.push(`shaka: ${JSON.stringify(Reflect.get(event, "detail"))}`));
  return {
    async load(url) {
      await player.attach(video);
      await player.load(url);
    },
    subtitles: () => player.getTextTracks().map(({ language }) => language),
    show(language) {
      const track = player.getTextTracks().find((one) => one.language === language);
      if (track !== undefined) player.selectTextTrack(track);
    },
    sounds: () => [...new Set(player.getVariantTracks().map(({ language }) => language))],
    hear(language) {
      const track = player.getVariantTracks().find((one) => one.language === language);
      if (track !== undefined) player.selectVariantTrack(track, true);
    },
    async preview(seconds) {
      const tile = await player.getThumbnails(null, seconds);
      if (tile === null) return null;
      const { uris, positionX: x, positionY: y, width: widthPx, height: heightPx } = tile;
      return { uri: uris[0] ?? "", place: { x, y, widthPx, heightPx } };
    },
  };
}

/** Waits for a condition, which is asked in each frame of the screen. */
const untilFrame = (isTrue: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = () => (isTrue() ? resolve() : requestAnimationFrame(look));
    look();
  });

const FACES = { "hls.js": hlsFace, "dash.js": dashFace, shaka: shakaFace };
export type TrackPlayer = keyof typeof FACES;
let face: Face;
let meter: (() => number) | undefined;

export const tracksHarness = {
  async load(name: TrackPlayer, url: string): Promise<void> {
    face = await FACES[name]();
    await face.load(url);
    await video.play();
  },
  async goTo(seconds: number): Promise<void> {
    if (face.goTo) await face.goTo(seconds);
    else video.currentTime = seconds;
  },
  languages: () => ({ subtitles: face.subtitles(), sounds: face.sounds() }),
  /** Selects subtitles, and waits until the player shows this text. @returns where it was shown, in seconds */
  async show(language: string, text: string): Promise<number> {
    face.show(language);
    await untilFrame(() =>
      [...video.textTracks]
        .filter(({ mode }) => mode !== "disabled")
        .flatMap(({ activeCues }) => [...(activeCues ?? [])])
        .some((cue) => (cue as VTTCue).text.includes(text)),
    );
    return video.currentTime;
  },
  /** Selects sound, and waits until playback has gone on with it for a while. */
  async hear(language: string): Promise<void> {
    face.hear(language);
    const from = performance.now();
    let last = video.currentTime;
    let playedSeconds = 0;
    await untilFrame(() => {
      playedSeconds += Math.max(0, video.currentTime - last);
      last = video.currentTime;
      return playedSeconds > 1.5 && performance.now() - from > 1000;
    });
  },
  /** Selects sound, and plays from one time to another. @returns [position in s, loudest frequency in Hz] for each frame of the screen */
  async listen(language: string, fromSeconds: number, toSeconds: number): Promise<[number, number][]> {
    video.currentTime = fromSeconds;
    face.hear(language);
    const toneHz = (meter ??= toneMeter(video));
    const heard: [number, number][] = [];
    await untilFrame(() => {
      if (!video.seeking) heard.push([video.currentTime, toneHz()]);
      return video.currentTime > toSeconds;
    });
    return heard;
  },
  preview: async (seconds: number): Promise<Preview | null> => (await face.preview?.(seconds)) ?? null,
  errors: () => errors,
};
Object.assign(window, { tracksHarness });
