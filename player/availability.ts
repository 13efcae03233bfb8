/** Availability of the page's media before playback. */
export type Availability =
  | { state: "playable" }
  | { state: "waiting"; detail: string }
  | { state: "failed"; detail: string };

interface ErrorBody {
  error?: { message?: string; description?: string };
}

/** Requests the manifest, whose status shows whether the media is playable, still processing or unavailable. */
async function fetchAvailability(manifestUrl: string): Promise<Availability> {
  let answer: Response;
  try {
    answer = await fetch(manifestUrl, { cache: "no-store" });
  } catch {
    return { state: "waiting", detail: "The server cannot be reached; trying again." };
  }
  if (answer.ok) return { state: "playable" };
  const body: ErrorBody = await answer.json().catch(() => ({}));
  const { message = "", description = message } = body.error ?? {};
  // The message distinguishes media in preparation from missing media (contract/playback.md, "Manifest answers").
  if (answer.status === 400 && /ready/.test(message)) return { state: "waiting", detail: description };
  if (answer.status === 410) return { state: "waiting", detail: description }; // the next broadcast will be at this URL
  if (answer.status >= 500) return { state: "waiting", detail: "The server is busy; trying again." };
  return { state: "failed", detail: description };
}

/** Poll interval in ms: short at first, because a standard source is playable within a second. */
const pauseMs = (attempt: number) => Math.min(2000, 150 * 1.1 ** attempt);

/** Polls until the media is playable or has failed. */
export async function untilPlayable(
  manifestUrl: string,
  onWaiting: (detail: string) => void,
  pause: (attempt: number) => number = pauseMs,
): Promise<Exclude<Availability, { state: "waiting" }>> {
  for (let attempt = 0; ; attempt++) {
    const availability = await fetchAvailability(manifestUrl);
    if (availability.state !== "waiting") return availability;
    onWaiting(availability.detail);
    await new Promise((resolve) => setTimeout(resolve, pause(attempt)));
  }
}
