/**
 * `wrangler dev` as a process that ends with its parent, and the cron, which wrangler does not fire locally.
 * Started by wrangler-worker.ts with its settings as JSON in SLUICE_WRANGLER.
 */
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { isBuildable } from "./bundle.ts";
import { startCron } from "./cron.ts";
import { HeldOutput } from "./held-output.ts";
import { answersInTime, refusesConnections, untilAnswered } from "./liveness.ts";
import { loadErrorIn } from "./load-error.ts";
import { changeSince } from "./next-change.ts";
import type { PartMessage } from "./part.ts";
import { sourcePlacesIn } from "./source-places.ts";
import { WranglerBundle } from "./wrangler-bundle.ts";
import type { WranglerSettings } from "./wrangler-worker.ts";

/** Message of wrangler. */
const BUILDS = "restarting build";
/** Message of miniflare. */
const CRASHED = "The Workers runtime crashed unexpectedly and is being restarted";
const STOP_LIMIT_MS = 3000;
/** wrangler restarts its runtime in less than a second, often without a message. In between, the port refuses connections. */
const WATCH_MS = 100;
/** A busy machine needs 20 s. */
const RESTART_LIMIT_MS = 45_000;

const { port, vars, optionalSecrets, isRestart } = JSON.parse(
  process.env["SLUICE_WRANGLER"] ?? "{}",
) as WranglerSettings;
const baseUrl = `http://127.0.0.1:${port}`;
const cli = fileURLToPath(import.meta.resolve("wrangler"));
const args = ["dev", "--ip=127.0.0.1", `--port=${port}`, "--show-interactive-dev-session=false"];
const asArguments = (values: Record<string, string>) =>
  Object.entries(values).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
args.push(...asArguments(vars));

const preloaded = new URL("wrangler-arguments.ts", import.meta.url).href;
const wrangler = spawn(process.execPath, ["--no-warnings", "--import", preloaded, cli, ...args], {
  stdio: ["ignore", "pipe", "pipe", "ipc"],
  env: {
    // Nothing is fetched from the network at start.
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_SEND_METRICS: "false",
    ...process.env,
    SLUICE_WRANGLER_ARGUMENTS: JSON.stringify(asArguments(optionalSecrets)),
  },
});

/** When wrangler last read the code, epoch ms. */
let builtAtMs = Date.now();
let isStopping = false;
let hasAnswered = false;
let isProbed = false;
let stopCron = () => {};
const bundle = new WranglerBundle();
setInterval(() => bundle.look(), WATCH_MS).unref();
const output = new HeldOutput((text) => void process.stdout.write(text));
for (const stream of [wrangler.stdout, wrangler.stderr]) {
  const pass = sourcePlacesIn((text) => output.add(text));
  stream?.once("end", () => pass());
  stream?.setEncoding("utf8").on("data", (text: string) => {
    pass(text);
    if (text.includes(BUILDS)) builtAtMs = Date.now();
    if (text.includes(CRASHED)) void endUnlessAnswered();
  });
}

wrangler.once("message", () => void begin());
// The first start has a separate limit.
if (isRestart) setInterval(() => void endUnlessStarted(), RESTART_LIMIT_MS).unref();
wrangler.once("close", (code) => void afterExit(code ?? 1));

/** wrangler prints its message before the Worker is loaded, and holds requests until then. */
async function begin(): Promise<void> {
  setInterval(() => void watchPort(), WATCH_MS).unref();
  watchConnection();
  await untilAnswered(`${baseUrl}/healthz`);
  hasAnswered = true;
  if (isRestart) output.drop();
  else output.release();
  stopCron = startCron((path) => fetch(`${baseUrl}${path}`));
  process.send?.({ ready: true });
}

async function watchPort(): Promise<void> {
  if (await refusesConnections(port)) await endUnlessAnswered();
}

/**
 * Keeps a connection to the runtime. When the runtime is killed, the system closes the connection, and the port is checked at once: on a busy
 * machine the next runtime may listen before the interval's next check. The runtime itself closes an idle connection after a while.
 */
function watchConnection(): void {
  const socket = connect(port, "127.0.0.1").unref();
  socket.on("error", () => {});
  socket.once("close", () => {
    void watchPort();
    if (!isStopping) setTimeout(watchConnection, WATCH_MS).unref();
  });
}

/** wrangler waits for a change of code that does not build. */
async function endUnlessStarted(): Promise<void> {
  if (!hasAnswered && (await isBuildable())) giveUp("wrangler has not answered since it was restarted.");
}

/**
 * wrangler 4.156 restarts a crashed workerd, but may then hold every request forever, and sometimes it does not restart it. It is probed only after
 * a crash, because a Worker that is stopped at a breakpoint or does not build does not answer either.
 */
async function endUnlessAnswered(): Promise<void> {
  if (isProbed) return;
  isProbed = true;
  const isAlive = await answersInTime(`${baseUrl}/healthz`);
  isProbed = false;
  if (!isAlive) giveUp("wrangler has not answered since its runtime crashed.");
}

function giveUp(reason: string): void {
  if (isStopping || wrangler.exitCode !== null || wrangler.signalCode !== null) return;
  stopCron();
  // The host may not have noticed yet that the restarted Worker answers: wrangler's output of that start is noise.
  if (isRestart) output.drop();
  else output.release();
  console.error(reason);
  wrangler.kill("SIGTERM");
  setTimeout(() => process.exit(1), STOP_LIMIT_MS); // the parent ends the rest of the group
}

async function afterExit(code: number): Promise<void> {
  stopCron();
  if (isStopping) process.exit(code);
  const loadError = loadErrorIn(output.recent, bundle.last);
  if (loadError === null) output.release();
  else output.drop();
  if (!hasAnswered && !isRestart)
    await fail(loadError ?? `wrangler ended with status ${code}; what it printed says why.`);
  if (loadError !== null) {
    console.error(`${loadError}\nRequests are refused until the next change of the code that builds.`);
    do builtAtMs = await changeSince(builtAtMs);
    while (!(await isBuildable()));
  }
  process.exit(loadError === null ? code : 1);
}

async function fail(message: string): Promise<void> {
  await new Promise((sent) => process.send?.({ failed: message } satisfies PartMessage, sent));
  process.exit(1);
}

const stop = () => {
  isStopping = true;
  stopCron();
  if (wrangler.exitCode !== null || wrangler.signalCode !== null) process.exit(0);
  wrangler.kill("SIGTERM");
};
process.on("SIGTERM", stop);
process.on("SIGINT", () => undefined); // the platform decides when to stop
process.on("disconnect", stop);
