import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { readOptions } from "./file-options.ts";
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
