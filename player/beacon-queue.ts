/** Interval of beacons, in ms. */
const FLUSH_MS = 10_000;
/** Events of one beacon. */
const BATCH = 200;
/** Events that wait while the server cannot be reached: about four hours of playback. Later ones are dropped. */
const MAX_WAITING = 2000;

export type BeaconEvent = Record<string, string | number | boolean | null | undefined>;

/** Sends events in batches. At most one request is in flight, and a failed batch is sent again. */
export class BeaconQueue {
  readonly #url: string;
  #waiting: BeaconEvent[] = [];
  #inFlight: BeaconEvent[] = [];

  constructor(url: string) {
    this.#url = url;
    setInterval(() => void this.flush(), FLUSH_MS);
  }

  add(event: BeaconEvent): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(event);
  }

  async flush(): Promise<void> {
    if (this.#inFlight.length > 0 || this.#waiting.length === 0) return;
    this.#inFlight = this.#waiting.splice(0, BATCH);
    const request = { method: "POST", body: bodyOf(this.#inFlight), keepalive: true };
    const isTaken = await fetch(this.#url, request).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isTaken) this.#waiting.unshift(...this.#inFlight);
    this.#inFlight = [];
    if (isTaken && this.#waiting.length > 0) void this.flush();
  }

  /** Sends all that has not been answered while the page is left. The server drops what it receives twice. */
  leave(): void {
    const events = [...this.#inFlight, ...this.#waiting].slice(0, BATCH);
    if (events.length > 0) navigator.sendBeacon(this.#url, bodyOf(events));
  }
}

/** As text, which a browser sends to other origins without a preflight. */
const bodyOf = (events: BeaconEvent[]): string =>
  JSON.stringify({ metadata: { transmission_timestamp: Date.now() }, events });
