import { type Browser, chromium } from "playwright-core";
import { findBrowser, findTestBrowser } from "../../../scripts/demo/find-browser.ts";

/** The browser of the tests: Chromium's headless shell, where there is one. */
export const launchTestBrowser = (): Promise<Browser> => launchChromium(findTestBrowser());

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
