import HlsPlayer, { ErrorTypes, Events } from "hls.js";
import { untilPlayable } from "./availability.ts";
import { buildControls } from "./controls.ts";
import { HLS_CONFIG } from "./hls-config.ts";
import { showLive } from "./live.ts";
import { exposeTracks } from "./track-lists.ts";

/** A stream may begin at any moment, and who waits for it wants to see that moment. */
const OFF_AIR_PAUSE_MS = 250;

const REASONS: [RegExp, string][] = [
  [/source_not_found|source_forbidden|source_unreachable/, "The file could not be fetched from its address."],
  [/source_/, "The file could not be read as a video."],
  [/processing failed/, "Something went wrong while this video was processed."],
];

async function start(main: HTMLElement): Promise<void> {
  const source = main.dataset["src"] ?? "";
  const query = new URLSearchParams(location.search);
  query.delete("playbackId");
  const manifestUrl = query.size > 0 ? `${source}?${query}` : source;
  const isStream = main.dataset["kind"] === "live";
  let player: Player | null = null;
  const waitOffAir = () => {
    showOffAir(main);
    player ??= prepare(main, manifestUrl);
  };
  const outcome = isStream
    ? await untilPlayable(manifestUrl, waitOffAir, () => OFF_AIR_PAUSE_MS)
    : await untilPlayable(manifestUrl, (detail) => showWaiting(main, detail));
  if (outcome.state === "failed") {
    const reason = REASONS.find(([pattern]) => pattern.test(outcome.detail))?.[1] ?? "It may have been removed.";
    return showNotice(main, "This video cannot be played", reason);
  }
  play(main, player ?? prepare(main, manifestUrl));
}

interface Player {
  /** Outside of the page's main element until it plays. */
  root: HTMLElement;
  load(): void;
}

/** Builds the controls and the player. Viewers who wait for a broadcast do not wait for this as well once it begins. */
function prepare(main: HTMLElement, manifestUrl: string): Player {
  const { root, video } = buildControls(main.dataset["title"] ?? "");
  // oxlint-disable-next-line import/no-named-as-default-member -- its types know no other name
  if (HlsPlayer.isSupported()) {
    const hls = new HlsPlayer(HLS_CONFIG);
    exposeTracks(video, hls);
    recover(hls, () =>
      showNotice(main, "Playback stopped", "The video could not be loaded. Reload the page to try again."),
    );
    showLive(root, video, hls, () => {
      hls.destroy();
      showOffAir(main);
      void start(main);
    });
    hls.attachMedia(video);
    return { root: offstage(root), load: () => hls.loadSource(manifestUrl) };
  }
  // Players without Media Source Extensions read HLS themselves.
  return { root: offstage(root), load: () => (video.src = manifestUrl) };
}

/** Lets the controls set themselves up where nobody sees them. */
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
  stage?.remove();
}

/** One repair of each kind; what fails again ends playback. */
function recover(hls: HlsPlayer, giveUp: () => void) {
  const tried = new Set<string>();
  hls.on(Events.ERROR, (_event, data) => {
    if (!data.fatal) return;
    if (tried.has(data.type)) {
      hls.destroy();
      return giveUp();
    }
    tried.add(data.type);
    if (data.type === ErrorTypes.MEDIA_ERROR) hls.recoverMediaError();
    else hls.startLoad();
  });
}

function showWaiting(main: HTMLElement, detail: string) {
  const percent = /^(\d+) %/.exec(detail)?.[1];
  let bar = main.querySelector("progress");
  if (bar === null) {
    showNotice(main, "This video is nearly ready", "It starts by itself as soon as it can be played.");
    bar = document.createElement("progress");
    bar.max = 100;
    bar.setAttribute("aria-label", "Processing");
    main.firstElementChild?.append(bar);
  }
  if (percent !== undefined && Number(percent) > 0) bar.value = Number(percent);
}

function showOffAir(main: HTMLElement) {
  if (main.firstElementChild?.classList.contains("notice")) return;
  showNotice(main, "This stream is not on air", "It starts by itself as soon as the broadcast begins.");
}

function showNotice(main: HTMLElement, heading: string, text: string) {
  const notice = document.createElement("section");
  notice.className = "notice";
  notice.setAttribute("role", "status");
  const title = document.createElement("h1");
  title.textContent = heading;
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  notice.append(title, paragraph);
  main.replaceChildren(notice);
}

const main = document.querySelector<HTMLElement>("#player");
if (main) void start(main);
