/** Buffered parts before live playback starts. With one part it would stall at the end of that part. */
const BUFFERED_PARTS = 1.8; // two, the audio of which may end a frame earlier
/** Playback starts this long after the first picture in any case. */
const LATEST_START_MS = 1500;

/** Buffered media before live playback starts, in seconds. @param partSeconds null without low latency, where one segment is enough */
export const startSeconds = (partSeconds: number | null): number =>
  partSeconds === null ? 0 : BUFFERED_PARTS * partSeconds;

function bufferedSeconds({ buffered, currentTime }: HTMLVideoElement): number {
  if (buffered.length === 0) return 0;
  return buffered.end(buffered.length - 1) - Math.max(currentTime, buffered.start(0));
}

/**
 * Starts playback once enough media is buffered. The first picture is shown before that.
 *
 * @param onRefused the browser plays only what the viewer starts, such as Safari while the battery is low: the play button is there for that
 */
export function playWhenReady(
  root: HTMLElement,
  video: HTMLVideoElement,
  seconds: number,
  onRefused: () => void = () => undefined,
): void {
  const started = new AbortController();
  const { signal } = started;
  const refuse = (error: unknown) => {
    if (signal.aborted || !(error instanceof DOMException) || error.name !== "NotAllowedError") return;
    started.abort();
    onRefused();
  };
  const play = () => {
    if (!signal.aborted) void video.play().catch(refuse);
  };
  root.classList.add("starting"); // no play button over the first picture
  signal.addEventListener("abort", () => root.classList.remove("starting"));
  video.addEventListener("play", () => started.abort(), { signal }); // started here or by the viewer
  video.addEventListener("loadeddata", () => setTimeout(play, LATEST_START_MS), { signal });
  for (const event of ["progress", "loadeddata", "canplay"])
    video.addEventListener(event, () => bufferedSeconds(video) >= seconds && play(), { signal });
  if (bufferedSeconds(video) >= seconds) play();
}
