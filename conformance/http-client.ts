import { setTimeout as pause } from "node:timers/promises";

/** One HTTP exchange. Times are epoch ms on this machine's clock. */
export interface Exchange {
  url: string;
  askedAtMs: number;
  answeredAtMs: number;
  /** 0 = no response. */
  status: number;
  headers: Record<string, string>;
}

const now = () => performance.timeOrigin + performance.now();

/** Sends requests like a cross-origin player. A failed request is an exchange with status 0. */
export class HttpClient {
  readonly #stop = new AbortController();
  readonly #timeoutMs: number;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Aborts pending requests; their exchanges are null. */
  stop(): void {
    this.#stop.abort();
  }

  /** Ends early on abort. */
  async pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  async get(
    url: string,
    headers: Record<string, string> = {},
  ): Promise<{ exchange: Exchange; bytes: Uint8Array } | null> {
    const askedAtMs = now();
    const end = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#timeoutMs)]);
    try {
      const response = await fetch(url, { headers: { origin: "http://player.test", ...headers }, signal: end });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const { status } = response;
      const exchange = { url: response.url, askedAtMs, answeredAtMs: now(), status };
      return { exchange: { ...exchange, headers: Object.fromEntries(response.headers) }, bytes };
    } catch {
      if (this.#stop.signal.aborted) return null;
      return { exchange: { url, askedAtMs, answeredAtMs: now(), status: 0, headers: {} }, bytes: new Uint8Array() };
    }
  }
}
