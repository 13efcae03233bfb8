import { runScript } from "./command/script.ts";
import { startPlatform } from "./local/platform.ts";
import { placesOf, runUntilStopped, sayRestarted } from "./local/run.ts";
import { loadSettings } from "./local/settings.ts";

const START = {
  name: "start",
  about: "Runs Sluice on this machine: the Worker in workerd, the encoder and the ingest gateway.",
  options: {},
  variables: {
    PORT: "of the API, the player and playback (8787)",
    ENCODER_PORT: "of the encoder, on loopback (8790)",
    RTMP_PORT: "of the ingest gateway, for RTMP (1935)",
    SRT_PORT: "of the ingest gateway, for SRT over UDP (8890)",
    INGEST_PORT: "of the ingest gateway, for pushes over HTTP (8791)",
    SLUICE_HOME: "where its data is kept (.sluice)",
    ALLOW_PRIVATE_NETWORK: '"true": sources on private addresses are fetched too',
  },
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
