import { runScript } from "./command/script.ts";
import { startPlatform } from "./local/platform.ts";
import { placesOf, runUntilStopped, sayRestarted } from "./local/run.ts";
import { loadSettings } from "./local/settings.ts";
import { LOCAL_VARIABLES, VARIABLES_NOTE } from "./local/variables.ts";

const START = {
  name: "start",
  about: "Runs Sluice on this machine: the Worker in workerd, the encoder and the ingest gateway.",
  options: {},
  variables: LOCAL_VARIABLES,
  notes: VARIABLES_NOTE,
};

await runScript(START, () =>
  runUntilStopped(
    async () => startPlatform(await loadSettings(), sayRestarted),
    (platform) => `Sluice is up at ${platform.baseUrl}

${placesOf(platform)}

  curl -u "$(node -p 'const l=require("${platform.settings.home}/local.json");l.username+":"+l.password')" ${platform.baseUrl}/v1/on-demand

Ctrl-C stops it.`,
  ),
);
