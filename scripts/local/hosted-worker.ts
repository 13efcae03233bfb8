import { join } from "node:path";
import { keepResult } from "../keep-result.ts";
import { bundle } from "./bundle.ts";
import { forkPart, Part } from "./part.ts";
import type { Settings } from "./settings.ts";
import type { HostSettings } from "./worker-host.ts";

/** The Worker of `npm start`: bundled once, in workerd without wrangler (`worker-host.ts`). */
export const hostedWorker =
  (build = bundle) =>
  async (settings: Settings): Promise<Part> => {
    const [{ workerPath }, options] = await Promise.all([build(), readOptions()]);
    let isDatabaseReady = false;
    const log = join(settings.home, "logs", "worker.log");
    const start = () => {
      const host: HostSettings = { ...settings, workerPath, options, isDatabaseReady };
      return forkPart(
        "scripts/local/worker-host.ts",
        { SLUICE_WORKER: JSON.stringify(host) },
        log,
        // In a separate process group: a Ctrl-C would end workerd before a graceful stop. It ends with this process in
        // every case.
        { detached: true },
      );
    };
    const part = new Part("worker", start, { leadsGroup: true, reason: `${log} says why` });
    part.ready.then(
      () => (isDatabaseReady = true),
      () => undefined,
    );
    return part;
  };

let options: Promise<HostSettings["options"]> | undefined;
/** The settings of wrangler.toml. Kept, because loading wrangler takes a second of CPU time. */
export const readOptions = () =>
  (options ??= keepResult("wrangler-options", null, async () => ({ value: await loadOptions(), inputs: FILES })));

/** Files from which wrangler reads settings and variables. */
const FILES = ["wrangler.toml", ".dev.vars", ".env", ".env.local"];

async function loadOptions(): Promise<HostSettings["options"]> {
  process.env["WRANGLER_LOG"] ??= "error"; // avoids a warning about missing secrets, which the host adds
  const { unstable_getMiniflareWorkerOptions: read } = await import("wrangler");
  return read("wrangler.toml").workerOptions as unknown as HostSettings["options"];
}
