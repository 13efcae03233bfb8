import type { Browser } from "playwright-core";
import { sharedPlatform, type SharedPlatform } from "../../support/platform.ts";
import { fileContent } from "../../support/source-content.ts";
import { type SourceServer, startSourceServer } from "../../support/source-server.ts";
import { launchTestBrowser } from "./chromium.ts";
import { servePlayerPage } from "./page-server.ts";

/** The environment for tests from POST to playback: a running platform, a source server, a browser with a page. */
export interface Stage {
  server: SourceServer;
  platform: SharedPlatform;
  page: Awaited<ReturnType<typeof servePlayerPage>>;
  browser: Browser;
  /** Serves a file at a path. */
  serve(name: string, path: string): Promise<void>;
  close(): Promise<void>;
}

/** @param own instead of the platform that all files share; its caller stops it */
export async function startStage(own?: Promise<SharedPlatform>, launch = launchTestBrowser): Promise<Stage> {
  const server = await startSourceServer();
  const [platform, page, browser] = await Promise.all([own ?? sharedPlatform(), servePlayerPage(), launch()]);
  return {
    server,
    platform,
    page,
    browser,
    async serve(name, path) {
      server.add(`/${name}`, { kind: "content", content: await fileContent(path) });
    },
    async close() {
      await Promise.all([browser.close(), page.close(), server.stop()]);
    },
  };
}
