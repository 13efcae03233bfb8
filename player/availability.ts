/** What the page knows about its media before it plays. */
export type Availability =
  | { state: "playable" }
  | { state: "waiting"; detail: string }
  | { state: "failed"; detail: string };

interface ErrorBody {
  error?: { message?: string; description?: string };
}

/** Asks for the manifest: it says whether there is something to play, how far processing is, or that nothing will come. */
async function askAvailability(manifestUrl: string): Promise<Availability> {
  let answer: Response;
  try {
    answer = await fetch(manifestUrl, { cache: "no-store" });
  } catch {
    return { state: "waiting", detail: "The server cannot be reached; trying again." };
  }
  if (answer.ok) return { state: "playable" };
  const body: ErrorBody = await answer.json().catch(() => ({}));
  const { message = "", description = message } = body.error ?? {};
  // The contract's word for what is on its way is in the message (contract/playback.md, "Manifest answers").
  if (answer.status === 400 && /ready/.test(message)) return { state: "waiting", detail: description };
  if (answer.status === 410) return { state: "waiting", detail: description }; // the next broadcast plays at this address
  if (answer.status >= 500) return { state: "waiting", detail: "The server is busy; trying again." };
  return { state: "failed", detail: description };
}

/** Waits between two questions, in ms: quick at first, as a standard source plays within a second, and a broadcast soon after it begins. */
const pauseMs = (attempt: number) => Math.min(2000, 150 * 1.1 ** attempt);

/** Asks until there is an end to waiting. */
export async function untilPlayable(
  manifestUrl: string,
  onWaiting: (detail: string) => void,
  pause: (attempt: number) => number = pauseMs,
): Promise<Exclude<Availability, { state: "waiting" }>> {
  for (let attempt = 0; ; attempt++) {
    const availability = await askAvailability(manifestUrl);
    if (availability.state !== "waiting") return availability;
    onWaiting(availability.detail);
    await new Promise((resolve) => setTimeout(resolve, pause(attempt)));
  }
}
