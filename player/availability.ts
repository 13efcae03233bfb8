/** Availability of the page's media before playback. */
type Availability = "playable" | "waiting" | "failed";

interface ErrorBody {
  error?: { message?: string };
}

/** Requests the manifest, whose status shows whether the media is playable, may become so, or is unavailable. */
async function fetchAvailability(manifestUrl: string): Promise<Availability> {
  let answer: Response;
  try {
    answer = await fetch(manifestUrl, { cache: "no-store" });
  } catch {
    return "waiting"; // the server cannot be reached
  }
  if (answer.ok) return "playable";
  if (answer.status === 410 || answer.status >= 500) return "waiting"; // 410: the next broadcast will be at this URL
  const body: ErrorBody = await answer.json().catch(() => ({}));
  // The message distinguishes media in preparation from missing media (media contract, "Manifest answers").
  return answer.status === 400 && /ready/.test(body.error?.message ?? "") ? "waiting" : "failed";
}

/** Poll interval in ms: short at first, because a standard source is playable within a second. */
const pauseMs = (attempt: number) => Math.min(2000, 150 * 1.1 ** attempt);

/** Polls until the media is playable or has failed. */
export async function untilPlayable(
  manifestUrl: string,
  onWaiting: () => void,
  pause: (attempt: number) => number = pauseMs,
): Promise<Exclude<Availability, "waiting">> {
  for (let attempt = 0; ; attempt++) {
    const availability = await fetchAvailability(manifestUrl);
    if (availability !== "waiting") return availability;
    onWaiting();
    await new Promise((resolve) => setTimeout(resolve, pause(attempt)));
  }
}
