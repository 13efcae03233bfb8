import type { Platform } from "./platform.ts";
import { StartError } from "./settings.ts";
import { stopWithNpm } from "./stop-with-npm.ts";

/** Exit status of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Runs a platform until Ctrl-C, or until the npm that runs this script ends. If the platform does not start, prints why and ends the process. */
export async function runUntilStopped(
  start: () => Promise<Platform>,
  greeting: (platform: Platform) => string,
): Promise<void> {
  // An exit during the start removes the claim of the data (`sole-use.ts`); the parts end with their parent.
  let stop = (): void => process.exit(INTERRUPTED);
  // Not `once`: libraries end the process by the signal if it has no other listener.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop());
  stopWithNpm();
  try {
    const platform = await start();
    console.log(greeting(platform));
    stop = () => {
      stop = () => undefined;
      void platform.stop().finally(() => process.exit(0));
    };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/** Where a platform's parts are, for its greeting. */
export function placesOf({ baseUrl, rtmpUrl, srtUrl, settings }: Platform): string {
  const { home, port, secrets, vars } = settings;
  const beaconDomain = vars["BEACON_DOMAIN"];
  const places: [string, string | undefined][] = [
    ["API reference", `${baseUrl}/v1/reference`],
    ["RTMP", rtmpUrl],
    ["SRT", srtUrl],
    ["Beacons", beaconDomain && `http://${secrets.workspaceId}.${beaconDomain}:${port}/`],
    ["Credentials", `${home}/local.json`],
    ["Logs", `${home}/logs`],
  ];
  return places.flatMap(([name, place]) => (place === undefined ? [] : `  ${name.padEnd(15)} ${place}`)).join("\n");
}

export const sayRestarted = (part: string): void =>
  console.error(`The ${part} exited and is restarted; its log says why.`);
