import type { Page } from "playwright-core";

/** What the page's video element shows, as JSON. */
const videoState = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const video = document.querySelector("video");
    const harness: { log(): unknown } | undefined = Reflect.get(window, "harness");
    const tracksHarness: { errors(): unknown } | undefined = Reflect.get(window, "tracksHarness");
    return JSON.stringify({
      log: harness?.log() ?? tracksHarness?.errors(),
      at: video?.currentTime,
      ready: video?.readyState,
      paused: video?.paused,
      seeking: video?.seeking,
      duration: video?.duration,
      buffered: Array.from({ length: video?.buffered.length ?? 0 }, (_, n) => [
        video?.buffered.start(n),
        video?.buffered.end(n),
      ]),
      size: `${video?.videoWidth}x${video?.videoHeight}`,
    });
  });

/**
 * Waits for a call of a page's harness, at most `limitMs`.
 * @param what the step, for the message
 * @throws when it takes longer; the message has the step, and the state of the video element
 */
export async function withinLimit<Value>(
  page: Page,
  what: string,
  limitMs: number,
  call: Promise<Value>,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      videoState(page).then((state) => reject(new Error(`${what} took more than ${limitMs} ms; ${state}`)), reject);
    }, limitMs);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
