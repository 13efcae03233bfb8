import { loadSettings, StartError } from "./local/settings.ts";
import { startPlatform } from "./local/platform.ts";

const HELP = `npm start: runs Sluice on this machine: the Worker in workerd and the encoder.

  PORT                   of the API, the player and playback (8787)
  ENCODER_PORT           of the encoder, on loopback (8790)
  SLUICE_HOME            where its data is kept (.sluice)
  ALLOW_PRIVATE_NETWORK  "true": sources on private addresses are fetched too`;

if (process.argv.includes("--help")) {
  console.log(HELP);
  process.exit(0);
}
try {
  const settings = await loadSettings();
  const platform = await startPlatform(settings, (part) => console.error(`The ${part} died; it is started again.`));
  console.log(`Sluice is up at ${platform.baseUrl}

  API reference   ${platform.baseUrl}/v1/reference
  Credentials     ${settings.home}/local.json
  Logs            ${settings.home}/logs

  curl -u "$(node -p 'const l=require("${settings.home}/local.json");l.username+":"+l.password')" ${platform.baseUrl}/v1/on-demand

Ctrl-C stops it.`);
  const stop = () => void platform.stop().finally(() => process.exit(0));
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exit(1);
}
