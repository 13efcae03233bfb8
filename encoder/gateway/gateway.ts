/**
 * The ingest gateway: the encoder image with another command. It accepts RTMP, RTMPS, SRT and HTTP pushes, has the Worker authorize
 * broadcasters, encodes, and uploads the media to the live origin. It scales horizontally. Environment:
 *   WORKER_URL, GATEWAY_CREDENTIAL (or GATEWAY_CREDENTIAL_FILE)   required; the credential names the gateway (`npm run gateway:credential -- live-1` makes one)
 *   MEDIA_UID, MEDIA_GID         user and group of processes that read media; requires root
 *   PUBLIC_HOST (the first host of the credential)   host name for broadcasters
 *   HOST (0.0.0.0)               listen address
 *   HTTP_HOST (127.0.0.1), HTTP_PORT (8791)   HTTP pushes, from the Worker only
 *   HTTP_URL                     URL of HTTP_PORT for the Worker: https, except on the Worker's own machine; without it the Worker sends no pushes
 *   RTMP_PORT (1935), SRT_PORT (8890), RTMPS_PORT (443) with TLS_CERT_FILE and TLS_KEY_FILE; an empty port disables the protocol
 *   GATEWAY_CAPACITY             concurrent broadcasts (one per core)
 * On SIGTERM and SIGINT the gateway disconnects broadcasters, uploads the media already received, then exits.
 */
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { boundedServer } from "../platform/bounded-server.ts";
import { hostOf, readGatewayCredential } from "../../protocol/gateway-credential.ts";
import { isSecret } from "../platform/bearer.ts";
import { errorFields } from "../../protocol/error-fields.ts";
import { log, logError, logWarning } from "../../protocol/log.ts";
import { mediaUser } from "../platform/media-process.ts";
import { takeSecrets } from "../platform/secret-environment.ts";
import { isLoopback } from "../../protocol/secure-url.ts";
import { GatewayEnvironment, MAKE_CREDENTIAL } from "./environment.ts";
import type { Listener } from "./reception/incoming.ts";
import { takePush } from "./reception/push.ts";
import { GatewayReception } from "./reception/reception.ts";
import { openRtmpListener } from "./rtmp/listener.ts";
import { openSrtListener } from "./srt/listener.ts";
import { WorkerClient } from "./worker/worker-client.ts";

const REGISTER_MS = 10_000;
const REGISTER_RETRY_MS = 1000;
const EXIT_TIMEOUT_MS = 8000;

const environment = GatewayEnvironment.safeParse({ ...process.env, ...takeSecrets(["GATEWAY_CREDENTIAL"]) });
if (!environment.success) {
  logError("service.environment_unusable", { reason: z.prettifyError(environment.error) });
  process.exit(2);
}
const settings = environment.data;
const { HOST, GATEWAY_CREDENTIAL } = settings;
const { id: GATEWAY_ID, hosts, pushToken } = readGatewayCredential(GATEWAY_CREDENTIAL)!;
const PUBLIC_HOST = settings.PUBLIC_HOST ?? hosts[0] ?? "127.0.0.1";
for (const [name, host] of Object.entries({ PUBLIC_HOST, HTTP_URL: settings.HTTP_URL && hostOf(settings.HTTP_URL) }))
  if (host !== undefined && !hosts.includes(host.toLowerCase())) {
    logError("service.environment_unusable", {
      reason: `${name}: the credential is not valid for ${host}; ${MAKE_CREDENTIAL}`,
    });
    process.exit(2);
  }
const worker = new WorkerClient(settings.WORKER_URL, GATEWAY_CREDENTIAL);
const startedAt = Date.now();
const reception = new GatewayReception(worker, {
  gatewayId: GATEWAY_ID,
  startedAt,
  capacity: settings.GATEWAY_CAPACITY,
});
reception.prepare();

async function openRtmps(): Promise<Listener | null> {
  const { RTMPS_PORT, TLS_CERT_FILE, TLS_KEY_FILE } = settings;
  if (RTMPS_PORT === null || TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return null;
  const [cert, key] = await Promise.all([readFile(TLS_CERT_FILE, "utf8"), readFile(TLS_KEY_FILE, "utf8")]);
  return await openRtmpListener({ host: HOST, port: RTMPS_PORT, tls: { cert, key }, protocol: "rtmps" }, reception);
}

function openHttp(): Promise<Listener> {
  const isKnown = ({ headers }: IncomingMessage) => isSecret(headers.authorization, [pushToken]);
  const server = boundedServer(isKnown, (request, response) => {
    if (request.method === "GET" && request.url === "/health")
      return void response.end(
        JSON.stringify({ broadcasts: reception.broadcasts, capacity: settings.GATEWAY_CAPACITY }),
      );
    if (request.method !== "POST" || request.url !== "/push") return void response.writeHead(404).end();
    takePush(request, response, reception).catch((error: unknown) => {
      logError("push.failed", { ...errorFields(error) });
      request.destroy();
    });
  });
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return new Promise((opened, failed) => {
    server.once("error", failed);
    server.listen(settings.HTTP_PORT ?? 0, settings.HTTP_HOST, () =>
      opened({ port: (server.address() as AddressInfo).port, close }),
    );
  });
}

const [http, rtmp, rtmps, srt] = await Promise.all([
  openHttp(),
  settings.RTMP_PORT === null
    ? null
    : openRtmpListener({ host: HOST, port: settings.RTMP_PORT, protocol: "rtmp" }, reception),
  openRtmps(),
  settings.SRT_PORT === null ? null : openSrtListener({ host: HOST, port: settings.SRT_PORT }, reception),
]).catch((error: unknown) => {
  logError("service.cannot_listen", { reason: error instanceof Error ? error.message : String(error) });
  process.exit(1);
});
const at = (listener: Listener | null) => (listener === null ? null : `${PUBLIC_HOST}:${listener.port}`);
const registration = {
  gatewayId: GATEWAY_ID,
  rtmpUrl: rtmp && `rtmp://${at(rtmp)}/live`,
  rtmpsUrl: rtmps && `rtmps://${at(rtmps)}/live`,
  srtUrl: srt && `srt://${at(srt)}`,
  httpUrl: settings.HTTP_URL ?? localHttpUrl(),
  startedAt,
};
log("gateway.listening", {
  gatewayId: GATEWAY_ID,
  rtmp: registration.rtmpUrl ?? "",
  rtmps: registration.rtmpsUrl ?? "",
  srt: registration.srtUrl ?? "",
  http: registration.httpUrl ?? "",
  mediaUid: mediaUser()?.uid ?? process.getuid?.() ?? -1,
});

/** A Worker on this machine reaches the port without TLS; any other needs HTTP_URL. */
function localHttpUrl(): string | null {
  const { WORKER_URL, HTTP_HOST } = settings;
  const isLocal = isLoopback(new URL(WORKER_URL).hostname) && isLoopback(HTTP_HOST) && hosts.includes(HTTP_HOST);
  return isLocal ? `http://${settings.HTTP_HOST}:${http.port}` : null;
}

let hasRegistered = false;
async function register(): Promise<void> {
  const isRegistered = await worker.register(registration);
  if (isRegistered !== hasRegistered)
    if (isRegistered) log("gateway.registered", { gatewayId: GATEWAY_ID });
    else logWarning("gateway.worker_unreachable", { gatewayId: GATEWAY_ID });
  if (isRegistered && !hasRegistered) process.send?.({ ready: true });
  hasRegistered = isRegistered;
  setTimeout(() => void register(), isRegistered ? REGISTER_MS : REGISTER_RETRY_MS);
}
void register();

let isStopping = false;
function stop(signal: string): void {
  if (isStopping) return;
  isStopping = true;
  log("gateway.stopping", { signal });
  setTimeout(() => process.exit(0), EXIT_TIMEOUT_MS).unref();
  void reception
    .close()
    .then(() => Promise.all([rtmp?.close(), rtmps?.close(), srt?.close(), http.close()]))
    .finally(() => process.exit(0));
}
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop(signal));
process.on("uncaughtExceptionMonitor", (error) => logError("service.crashed", { ...errorFields(error) }));
process.on("disconnect", () => stop("disconnect")); // the local platform that started the gateway has exited
