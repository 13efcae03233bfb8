import { type Browser, chromium } from "playwright-core";
import { findBrowser, findTestBrowser } from "../../../scripts/demo/find-browser.ts";

let shared: Promise<Browser> | undefined;

/**
 * The browser of all test files of this process: Chromium's headless shell, where there is one. It ends with the process, because its pipe closes. A
 * file closes the pages that it opens.
 */
export const testBrowser = (): Promise<Browser> => (shared ??= launchChromium(findTestBrowser()));

/** Chromium with H.264 and AAC: `$CHROMIUM`, the system's, or the one that `npx playwright install chromium` brought. */
export function launchChromium(executablePath = findBrowser()): Promise<Browser> {
  return chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--autoplay-policy=no-user-gesture-required",
      "--host-resolver-rules=MAP *.example 127.0.0.1", // sites of tests
    ],
  });
}
