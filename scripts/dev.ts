import { runScript } from "./command/script.ts";
import { ensureDevVars } from "./local/dev-vars.ts";
import { type Platform, startPlatform } from "./local/platform.ts";
import { placesOf, runUntilStopped, sayRestarted } from "./local/run.ts";
import { loadSettings, valuesOf } from "./local/settings.ts";
import { LOCAL_VARIABLES, VARIABLES_NOTE } from "./local/variables.ts";
import { wranglerWorker } from "./local/wrangler-worker.ts";
import { OPTIONAL_SECRETS } from "./secrets/fresh.ts";

const DEV = {
  name: "dev",
  about: "Runs Sluice on this machine under wrangler dev, which reloads the Worker at each change of its code.",
  options: {},
  variables: { ...LOCAL_VARIABLES, SLUICE_HOME: "where credentials and logs are kept (.sluice)" },
  notes: `${VARIABLES_NOTE}

Data is kept in .wrangler/state, secrets in .dev.vars, which the first run creates.`,
};

async function start(): Promise<Platform> {
  const devVars = await ensureDevVars();
  const settings = await loadSettings();
  settings.secrets = {
    ...settings.secrets,
    jobSecret: devVars.JOB_SECRET,
    encoderSecret: devVars.ENCODER_SECRET,
    webhookKeys: devVars.WEBHOOK_KEYS,
  };
  settings.optionalSecrets = { ...valuesOf(OPTIONAL_SECRETS, devVars), ...settings.optionalSecrets };
  return await startPlatform(settings, sayRestarted, wranglerWorker);
}

await runScript(DEV, () =>
  runUntilStopped(
    start,
    (platform) => `Sluice is up at ${platform.baseUrl}, under wrangler dev

${placesOf(platform)}

Changes of src/, durable-objects/, protocol/ and player/ are served at once; encoder and gateway need a restart. Ctrl-C stops it.`,
  ),
);
