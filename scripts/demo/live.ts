import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClockBroadcast } from "../live/clock-broadcast.ts";
import type { Platform } from "../local/platform.ts";
import { edgeLatencyMs } from "./edge-latency.ts";

/** The progress events of the demo's broadcast, in chronological order; times are ms after its first byte was sent. */
export type LiveMoment =
  | { kind: "stream"; streamId: string; playbackId: string; tookMs: number }
  | { kind: "on_air"; protocol: "rtmp"; connectedMs: number }
  | { kind: "first_part"; afterMs: number; bytes: number }
  | { kind: "edge"; behindMs: number; renditions: string[] }
  | { kind: "recorded"; afterEndMs: number; mediaId: string; playbackId: string }
  | { kind: "failed"; message: string };

interface Stream {
  streamId: string;
  ingest: { rtmp: string };
  playbackIds: { id: string }[];
}

const POLL_MS = 30;
const TIMEOUT_MS = 60_000;

/** Broadcasts a looped clip with a burnt-in clock over RTMP, from a separate process, and fetches it as a player would. */
export class LiveDemo {
  readonly #platform: Platform;
  readonly #report: (moment: LiveMoment) => void;
  #broadcaster: ChildProcess | null = null;
  #stream: Stream | null = null;

  constructor(platform: Platform, report: (moment: LiveMoment) => void) {
    this.#platform = platform;
    this.#report = report;
  }

  get playbackId(): string {
    return this.#stream?.playbackIds[0]?.id ?? "";
  }

  get #manifest(): string {
    return `${this.#platform.baseUrl}/${this.playbackId}.m3u8`;
  }

  /** @returns whether it can be watched */
  async begin(clip: string): Promise<boolean> {
    const askedAt = performance.now();
    const stream = await this.#api<Stream>("POST", "/v1/live/streams", {
      playbackSettings: { accessPolicy: "public" },
      inputMediaSettings: { maxResolution: "720p", enableDvrMode: true, metadata: { from: "npm run demo" } },
    });
    this.#stream = stream;
    const { streamId } = stream;
    this.#report({ kind: "stream", streamId, playbackId: this.playbackId, tookMs: since(askedAt) });
    const connectedAt = performance.now();
    const capturedAtMs = await this.#broadcast(stream.ingest.rtmp, clip);
    if (capturedAtMs === null) return false;
    const sentAt = performance.now();
    this.#report({ kind: "on_air", protocol: "rtmp", connectedMs: Math.round(sentAt - connectedAt) });
    const first = await this.#firstPart();
    if (first === null) {
      this.#report({ kind: "failed", message: "nothing of the broadcast could be played within a minute" });
      return false;
    }
    this.#report({ kind: "first_part", afterMs: Math.round(performance.now() - sentAt), bytes: first.bytes });
    await sleep(6000); // a few segments, so that the measured latency is steady
    const behindMs = edgeLatencyMs((await textOf(first.playlist)) ?? "", capturedAtMs, Date.now());
    // Asks again: an encoder that cannot keep up may have stopped making some renditions.
    const renditions = playlistsIn((await textOf(this.#manifest)) ?? "").map(renditionOf);
    if (behindMs !== null) this.#report({ kind: "edge", behindMs, renditions });
    return true;
  }

  /** Ends the broadcast and waits for its recording. @returns whether it is ready */
  async finish(): Promise<boolean> {
    if (this.#stream === null) return false;
    const { streamId } = this.#stream;
    const endedAt = performance.now();
    await this.#api("PUT", `/v1/live/streams/${streamId}/finish`);
    await this.stop();
    const { mediaIds } = await this.#api<{ mediaIds: string[] }>("GET", `/v1/live/streams/${streamId}`);
    const mediaId = mediaIds[0] ?? "";
    while (performance.now() - endedAt < TIMEOUT_MS) {
      const media = await this.#api<{ status: string; playbackIds: { id: string }[] }>(
        "GET",
        `/v1/on-demand/${mediaId}`,
      );
      if (media.status === "Ready") {
        const playbackId = media.playbackIds[0]!.id;
        this.#report({ kind: "recorded", afterEndMs: since(endedAt), mediaId, playbackId });
        return true;
      }
      await sleep(POLL_MS);
    }
    this.#report({ kind: "failed", message: "the recording was not ready within a minute" });
    return false;
  }

  async stop(): Promise<void> {
    const child = this.#broadcaster;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await gone;
  }

  /** Resolves when the first picture has been sent. @returns when it was captured, epoch ms; null when it could not be sent */
  async #broadcast(url: string, clip: string): Promise<number | null> {
    const orders: ClockBroadcast = {
      clip,
      url,
      format: "flv",
      widthPx: 1280,
      heightPx: 720,
      frameRate: 30,
      bitrateBps: 3_000_000,
      keySeconds: 2,
    };
    const child = fork("scripts/live/clock-broadcast.ts", [], {
      env: { ...process.env, SLUICE_BROADCAST: JSON.stringify(orders) },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      execArgv: ["--disable-warning=ExperimentalWarning"],
      detached: true, // a Ctrl-C must reach only the demo, which stops the broadcaster gracefully
    });
    this.#broadcaster = child;
    let words = "";
    child.stderr?.on("data", (chunk: Buffer) => (words += chunk.toString()));
    const [first] = await Promise.race([once(child, "message"), once(child, "exit")]);
    if (typeof first === "object" && first !== null) return (first as { capturedAtMs: number }).capturedAtMs;
    this.#report({ kind: "failed", message: `the broadcaster ended: ${words.trim()}` });
    return null;
  }

  /** Fetches playlists as a player does until there is a part. */
  async #firstPart(): Promise<{ playlist: string; bytes: number } | null> {
    const beganAt = performance.now();
    while (performance.now() - beganAt < TIMEOUT_MS) {
      const [path] = playlistsIn((await textOf(this.#manifest)) ?? "");
      const playlist = path && new URL(path, this.#manifest).href;
      const part = playlist && /#EXT-X-PART:.*URI="([^"]+)"/.exec((await textOf(playlist)) ?? "")?.[1];
      if (playlist && part) {
        const answer = await fetch(new URL(part, playlist));
        if (answer.ok) return { playlist, bytes: (await answer.arrayBuffer()).byteLength };
      }
      await sleep(POLL_MS);
    }
    return null;
  }

  async #api<T>(method: string, path: string, body?: object): Promise<T> {
    const { baseUrl, authorization } = this.#platform;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return ((await response.json()) as { data: T }).data;
  }
}

const playlistsIn = (manifest: string) => manifest.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

const renditionOf = (path: string) => /([^/]+)\.m3u8/.exec(path)?.[1] ?? "";

const since = (at: number) => Math.round(performance.now() - at);

async function textOf(url: string): Promise<string | null> {
  const response = await fetch(url);
  return response.ok ? await response.text() : null;
}
