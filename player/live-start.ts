/** Parts in hand before a live picture moves. With one alone it would stop again at the end of that. */
const PARTS_IN_HAND = 1.8; // two, of which sound may end a frame earlier
/** A picture that has stood still for so long moves with what there is. */
const STILL_MS = 1500;

/** Media in hand before a live picture moves, in seconds. @param partSeconds null without low latency: segments are long enough */
export const startSeconds = (partSeconds: number | null): number =>
  partSeconds === null ? 0 : PARTS_IN_HAND * partSeconds;

function secondsInHand({ buffered, currentTime }: HTMLVideoElement): number {
  if (buffered.length === 0) return 0;
  return buffered.end(buffered.length - 1) - Math.max(currentTime, buffered.start(0));
}

/**
 * Plays once enough media is in hand. The first picture is shown before: whoever waits for a broadcast sees it half a second after its
 * beginning, when there is no more than a part.
 */
export function playWhenReady(root: HTMLElement, video: HTMLVideoElement, seconds: number): void {
  const started = new AbortController();
  const { signal } = started;
  const play = () => {
    if (!signal.aborted) void video.play().catch(() => {});
  };
  root.classList.add("starting"); // no play button over the first picture
  signal.addEventListener("abort", () => root.classList.remove("starting"));
  video.addEventListener("play", () => started.abort(), { signal }); // ours, or the viewer's
  video.addEventListener("loadeddata", () => setTimeout(play, STILL_MS), { signal });
  for (const event of ["progress", "loadeddata", "canplay"])
    video.addEventListener(event, () => secondsInHand(video) >= seconds && play(), { signal });
  if (secondsInHand(video) >= seconds) play();
}
