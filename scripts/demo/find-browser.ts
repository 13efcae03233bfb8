import { existsSync } from "node:fs";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Chromium or Chrome with H.264 and AAC: `$CHROMIUM`, or the system's; undefined when there is none. */
export const findBrowser = (): string | undefined =>
  [process.env["CHROMIUM"], ...PLACES].find((path) => path !== undefined && path !== "" && existsSync(path));
