/**
 * `wrangler dev` as a process that ends with its parent, and the cron, which wrangler does not fire locally.
 * Started by wrangler-worker.ts with its settings as JSON in SLUICE_WRANGLER.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startCron } from "./cron.ts";
import type { WranglerSettings } from "./wrangler-worker.ts";

const { port, vars } = JSON.parse(process.env["SLUICE_WRANGLER"] ?? "{}") as WranglerSettings;
const cli = fileURLToPath(import.meta.resolve("wrangler"));
const args = ["dev", "--ip=127.0.0.1", `--port=${port}`, "--show-interactive-dev-session=false"];
for (const [name, value] of Object.entries(vars)) args.push("--var", `${name}:${value}`);

const wrangler = spawn(process.execPath, ["--no-warnings", cli, ...args], {
  stdio: ["ignore", "inherit", "inherit", "ipc"],
  env: {
    // Nothing is fetched from the network at start.
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_SEND_METRICS: "false",
    ...process.env,
  },
});

let stopCron = () => {};
wrangler.once("message", () => {
  stopCron = startCron((path) => fetch(`http://127.0.0.1:${port}${path}`));
  process.send?.({ ready: true });
});
wrangler.once("exit", (code) => {
  stopCron();
  process.exit(code ?? 1);
});

const stop = () => {
  stopCron();
  wrangler.kill("SIGTERM");
};
process.on("SIGTERM", stop);
process.on("SIGINT", () => undefined); // the platform decides when to stop
process.on("disconnect", stop);
