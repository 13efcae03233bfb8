import { randomInt } from "node:crypto";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../scripts/local/bundle.ts";
import { PortsTaken } from "../../scripts/local/free-ports.ts";
import { hostedWorker } from "../../scripts/local/hosted-worker.ts";
import { type Platform, startPlatform } from "../../scripts/local/platform.ts";
import { loadSettings, type Settings } from "../../scripts/local/settings.ts";

/** A separate platform on free ports, in a temporary folder. */
export interface TestPlatform extends Platform {
  home: string;
  api<T = Media>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: { data: T; playback_id: string; success: boolean } }>;
  /** Creates an asset and returns its ids. */
  create(url: string, more?: object): Promise<{ assetId: string; playbackId: string }>;
  /** Polls the asset until the condition holds; fails when it is errored or on timeout. */
  until(assetId: string, condition: (media: Media) => boolean, limitMs?: number): Promise<Media>;
  removeHome(): Promise<void>;
}

export interface Media {
  id: string;
  status: string;
  duration?: string;
  isAudioOnly: boolean;
  playbackIds: { id: string }[];
  sourceResolution?: string;
  tracks: {
    id: string;
    type: string;
    status: string;
    width?: number;
    height?: number;
    frameRate?: string;
    languageCode?: string;
  }[];
  progress?: { percent: number; stage: string; renditions: { name: string; percent: number }[] };
  error?: { code: string; message: string; fault: string };
}

/** Below the ephemeral ports: another process could get one of those before this test listens on it. */
const [LOWEST_PORT, HIGHEST_PORT] = [10_000, 32_000];

const given = new Set<number>();

/** @returns a port that nothing listens on, and that this process has not been given before */
export async function freePort(): Promise<number> {
  const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
  if (given.has(port)) return freePort();
  given.add(port);
  const server = createServer();
  const isFree = await new Promise<boolean>((done) => {
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => done(true));
  });
  if (!isFree) return freePort();
  await new Promise((done) => server.close(done));
  return port;
}

const POLL_MS = 50;

let built: ReturnType<typeof bundle> | undefined;
/** The Worker does not change while tests run. */
const builtOnce = () => (built ??= bundle());

interface TestPlatformOptions {
  vars?: Record<string, string>;
  allowPrivateNetwork?: boolean;
  home?: string;
  /** With an ingest gateway, for broadcasts over RTMP and SRT. */
  withIngest?: boolean;
  /** The Worker's inspector listens on a free port; see `settings.inspectorPort` of the platform. */
  inspected?: boolean;
}

const PORT_ATTEMPTS = 3;

/** Another process may listen on a port after it was found free, so a start that finds one taken is tried again with other ports. */
async function onFreePorts(home: string, options: TestPlatformOptions, attempts = PORT_ATTEMPTS): Promise<Platform> {
  const settings = await settingsOf(home, options);
  try {
    return await startPlatform(settings, () => undefined, hostedWorker(builtOnce));
  } catch (error) {
    if (attempts > 1 && error instanceof PortsTaken) return onFreePorts(home, options, attempts - 1);
    throw error;
  }
}

async function settingsOf(home: string, options: TestPlatformOptions): Promise<Settings> {
  const [port, encoderPort] = [await freePort(), await freePort()];
  const ingestPorts = options.withIngest
    ? { rtmp: await freePort(), srt: await freePort(), http: await freePort() }
    : null;
  return loadSettings(
    {},
    {
      home,
      port,
      encoderPort,
      ingestPorts,
      allowPrivateNetwork: options.allowPrivateNetwork ?? true,
      vars: options.vars ?? {},
      ...(options.inspected ? { inspectorPort: await freePort() } : {}),
    },
  );
}

export async function startTestPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), "sluice-test-")));
  const platform = await onFreePorts(home, options);
  const { baseUrl, authorization } = platform;

  const api: TestPlatform["api"] = async (method, path, body) => {
    const headers = { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as never };
  };
  return {
    ...platform,
    home,
    api,
    async create(url, more = {}) {
      const { status, body } = await api("POST", "/v1/on-demand", {
        inputs: [{ type: "video", url }],
        accessPolicy: "public",
        ...more,
      });
      if (status !== 201) throw new Error(`creation answered ${status}: ${JSON.stringify(body)}`);
      return { assetId: body.data.id, playbackId: body.playback_id };
    },
    async until(assetId, condition, limitMs = 90_000) {
      const deadline = Date.now() + limitMs;
      for (;;) {
        // Some tests kill the Worker, so it may not answer.
        const media = await api("GET", `/v1/on-demand/${assetId}`).then(
          ({ status, body }) => (status === 200 ? body.data : null),
          () => null,
        );
        if (media !== null && condition(media)) return media;
        if (media?.error !== undefined) throw new Error(`the asset is errored: ${JSON.stringify(media.error)}`);
        if (Date.now() > deadline)
          throw new Error(`waited ${limitMs} ms in vain; the asset is ${JSON.stringify(media)}`);
        await new Promise((done) => setTimeout(done, POLL_MS));
      }
    },
    removeHome: () => rm(home, { recursive: true, force: true }),
  };
}

/** A platform that several files use: it has the records of all of them, and none of them stops it. */
export type SharedPlatform = Omit<TestPlatform, "stop" | "removeHome">;

const shared = new Map<boolean, Promise<SharedPlatform>>();

/** Vitest kills this process, so a shell removes the folder: its input ends with the process. The platform may write for a moment longer. */
function removeAfterExit(folder: string): void {
  const script = 'cat; until rm -rf "$0"; do sleep 1; done';
  spawn("sh", ["-c", script, folder], { stdio: ["pipe", "ignore", "ignore"], detached: true }).unref();
}

/** The platform of all files of this process. Its parts end with the process, because they notice that it is gone. */
export function sharedPlatform({ withIngest = false } = {}): Promise<SharedPlatform> {
  const start = async () => {
    const platform = await startTestPlatform({ withIngest });
    removeAfterExit(platform.home);
    return platform;
  };
  const platform = shared.get(withIngest) ?? start();
  shared.set(withIngest, platform);
  return platform;
}

export const isReady = ({ status }: Media) => status === "Ready";
export const isFailed = ({ status }: Media) => status === "Failed";
