import { runScript } from "./command/script.ts";
import { ensureDevVars } from "./local/dev-vars.ts";
import { type Platform, startPlatform } from "./local/platform.ts";
import { placesOf, runUntilStopped, sayRestarted } from "./local/run.ts";
import { loadSettings, valuesOf } from "./local/settings.ts";
import { wranglerWorker } from "./local/wrangler-worker.ts";
import { OPTIONAL_SECRETS } from "./secrets/fresh.ts";

const DEV = {
  name: "dev",
  about: "Runs Sluice on this machine under wrangler dev, which reloads the Worker at each change of its code.",
  options: {},
  variables: {
    PORT: "of the API, the player and playback (8787)",
    ENCODER_PORT: "of the encoder, on loopback (8790)",
    RTMP_PORT: "of the ingest gateway, for RTMP (1935)",
    SRT_PORT: "of the ingest gateway, for SRT over UDP (8890)",
    INGEST_PORT: "of the ingest gateway, for pushes over HTTP (8791)",
    SLUICE_HOME: "where credentials and logs are kept (.sluice)",
    ALLOW_PRIVATE_NETWORK: '"true": sources on private addresses are fetched too',
  },
  notes: "Data is kept in .wrangler/state, secrets in .dev.vars, which the first run creates.",
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
