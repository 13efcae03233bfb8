import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gatewayCredential } from "../../protocol/gateway-credential.ts";
import { hostedWorker } from "./hosted-worker.ts";
import { forkPart, Part } from "./part.ts";
import { claimFolder } from "./sole-use.ts";
import { requireFreePorts } from "./free-ports.ts";
import { type Settings, StartError, writePrivately } from "./settings.ts";

/** A running local platform. */
export interface Platform {
  baseUrl: string;
  /** Addresses of the ingest gateway; absent = the platform runs without one. */
  rtmpUrl?: string;
  srtUrl?: string;
  settings: Settings;
  /** `authorization` header of the local workspace. */
  authorization: string;
  /** Process ids, for tests that kill a part. */
  pids: { worker: () => number | undefined; encoder: () => number | undefined; ingest: () => number | undefined };
  stop(): Promise<void>;
}

/** Prepares the Worker and returns the process that runs it. */
export type WorkerPart = (settings: Settings) => Promise<Part>;

const START_LIMIT_MS = 60_000;

/**
 * Starts the Worker, the encoder and the ingest gateway and waits until they answer. Writes `local.json` into the home once they do.
 *
 * @throws {StartError} with a message for the user: a port is taken, a part does not start
 */
export async function startPlatform(
  settings: Settings,
  onRestart: (part: string) => void = () => undefined,
  workerPart: WorkerPart = hostedWorker(),
): Promise<Platform> {
  const { ingestPorts } = settings;
  const baseUrl = `http://127.0.0.1:${settings.port}`;
  const localFile = join(settings.home, "local.json");
  const release = await claimFolder(settings.home, baseUrl);
  const prepare = async () => {
    await requireFreePorts(settings);
    await rm(localFile, { force: true }); // its presence means that the platform is ready
    return await workerPart(settings);
  };
  const worker = await prepare().catch(async (error: unknown) => {
    await release();
    throw error;
  });
  const logs = join(settings.home, "logs");
  const encoder = new Part("encoder", () =>
    forkPart(
      "encoder/server.ts",
      { PORT: String(settings.encoderPort), HOST: "127.0.0.1", ENCODER_SECRET_FILE: "-" },
      join(logs, "encoder.log"),
      { input: settings.secrets.encoderSecret },
    ),
  );
  const ingest = ingestPorts && newIngest(settings, ingestPorts, baseUrl);
  const { workspaceId, username, password } = settings.secrets;
  const stop = async () => {
    for (const part of [worker, encoder]) part.expectExit();
    await ingest?.stop(); // the gateway uploads received media while the Worker is still running
    await Promise.all([worker.stop(), encoder.stop()]);
    await rm(localFile, { force: true });
    await release();
  };
  worker.start(onRestart);
  encoder.start(onRestart);
  ingest?.start(onRestart);
  try {
    await untilHealthy(baseUrl, settings.secrets, logs, worker.ready);
    if (ingest !== null) await untilReady(ingest.ready, "the ingest gateway", logs);
  } catch (error) {
    await stop();
    throw error;
  }
  const addresses = ingestPorts && {
    rtmpUrl: `rtmp://127.0.0.1:${ingestPorts.rtmp}/live`,
    srtUrl: `srt://127.0.0.1:${ingestPorts.srt}`,
  };
  await writePrivately(localFile, { baseUrl, workspaceId, username, password, ...addresses, clip: settings.clip });
  return {
    baseUrl,
    ...addresses,
    settings,
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
    pids: { worker: () => worker.pid, encoder: () => encoder.pid, ingest: () => ingest?.pid },
    stop,
  };
}

function newIngest(settings: Settings, ports: NonNullable<Settings["ingestPorts"]>, workerUrl: string): Part {
  const env = {
    WORKER_URL: workerUrl,
    HOST: "127.0.0.1",
    GATEWAY_CREDENTIAL_FILE: "-",
    RTMP_PORT: String(ports.rtmp),
    SRT_PORT: String(ports.srt),
    HTTP_PORT: String(ports.http),
  };
  return new Part("ingest gateway", () =>
    forkPart("encoder/gateway/gateway.ts", env, join(settings.home, "logs", "ingest.log"), {
      input: gatewayCredential(settings.secrets.encoderSecret, "local", ["127.0.0.1"]),
    }),
  );
}

async function untilReady(ready: Promise<void>, name: string, logs: string): Promise<void> {
  const timer = new AbortController();
  const tooLate = sleep(START_LIMIT_MS, "late", { signal: timer.signal }).catch(() => "");
  const isLate = (await Promise.race([ready, tooLate])) === "late";
  timer.abort();
  if (isLate) throw new StartError(`The platform did not come up: ${name} does not start.\nIts logs are in ${logs}.`);
}

async function untilHealthy(
  baseUrl: string,
  { username, password }: Settings["secrets"],
  logs: string,
  workerReady: Promise<void>,
): Promise<void> {
  const headers = { authorization: `Basic ${btoa(`${username}:${password}`)}` };
  const deadline = Date.now() + START_LIMIT_MS;
  let last = `the Worker does not answer within ${START_LIMIT_MS / 1000} s`;
  await Promise.race([workerReady, new Promise((done) => setTimeout(done, START_LIMIT_MS).unref())]);
  while (Date.now() < deadline) {
    const signal = AbortSignal.timeout(deadline - Date.now()); // `wrangler dev` holds requests while the code does not build
    const health = await fetch(`${baseUrl}/healthz`, { headers, signal }).then(
      async (response) => ({ isUp: response.ok, text: await response.text() }),
      (error: unknown) => ({ isUp: false, text: signal.aborted ? last : String(error) }),
    );
    if (health.isUp) return;
    last = health.text;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new StartError(`The platform did not come up: ${last}\nIts logs are in ${logs}.`);
}
