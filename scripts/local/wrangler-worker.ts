import { join, resolve } from "node:path";
import { requireBuildable } from "./bundle.ts";
import { setUpDatabase } from "./set-up-database.ts";
import { forkPart, Part } from "./part.ts";
import { makePrivateFolder } from "./private-folder.ts";
import { claimFolder } from "./sole-use.ts";
import { type Settings, WRANGLER_STATE } from "./settings.ts";

/** The settings of `wrangler-host.ts`. */
export interface WranglerSettings {
  port: number;
  /** Variables of the Worker that differ from wrangler.toml. */
  vars: Record<string, string>;
  /** wrangler passes only the secrets of `.dev.vars` that `wrangler.toml` requires. */
  optionalSecrets: Record<string, string>;
  /** The platform was up once, so an error in the code does not end it. */
  isRestart: boolean;
}

/** The Worker of `npm run dev`: `wrangler dev`, which bundles it again at each change. Its output goes to the terminal and the log. */
export async function wranglerWorker(settings: Settings): Promise<Part> {
  const state = resolve(WRANGLER_STATE);
  await makePrivateFolder(state);
  // Released when this process ends.
  await claimFolder(state, `http://127.0.0.1:${settings.port}`);
  await requireBuildable();
  await setUpDatabase(state, settings.secrets);
  const host = {
    port: settings.port,
    optionalSecrets: settings.optionalSecrets,
    vars: {
      ENCODER_URL: `http://127.0.0.1:${settings.encoderPort}`,
      PUBLIC_URL: `http://127.0.0.1:${settings.port}`,
      // Otherwise the value in .dev.vars applies.
      ...(settings.allowPrivateNetwork ? { ALLOW_PRIVATE_NETWORK: "true" } : {}),
      ...settings.vars,
    },
  };
  let isRestart = false;
  const start = () =>
    forkPart(
      "scripts/local/wrangler-host.ts",
      { SLUICE_WRANGLER: JSON.stringify({ ...host, isRestart } satisfies WranglerSettings) },
      join(settings.home, "logs", "worker.log"),
      { detached: true, isShown: true }, // a separate process group, as for `npm start`
    );
  const part = new Part("worker", start, { leadsGroup: true, reason: "what it printed says why" });
  part.ready.then(
    () => (isRestart = true),
    () => undefined,
  );
  return part;
}
