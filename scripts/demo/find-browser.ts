import { existsSync } from "node:fs";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
/** Chromium without its windows, as Debian packages it. */
export const SHELL = "/usr/bin/chromium-headless-shell";

/** Chromium or Chrome with H.264 and AAC: `$CHROMIUM`, or the system's; undefined when there is none. */
export const findBrowser = (): string | undefined => firstOf([process.env["CHROMIUM"], ...PLACES, SHELL]);

/** The same, but prefers the headless shell, which uses a third of the CPU time for a page. */
export const findTestBrowser = (): string | undefined => firstOf([process.env["CHROMIUM"], SHELL, ...PLACES]);

const firstOf = (paths: (string | undefined)[]) =>
  paths.find((path) => path !== undefined && path !== "" && existsSync(path));
