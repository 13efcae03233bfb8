import type { Browser } from "playwright-core";
import { sharedPlatform, type SharedPlatform } from "../../support/platform.ts";
import { fileContent } from "../../support/source-content.ts";
import { type SourceServer, startSourceServer } from "../../support/source-server.ts";
import { testBrowser } from "./chromium.ts";
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

/** @param own platform and browser instead of those that all files share; the caller stops them */
export async function startStage(own?: { platform: SharedPlatform; browser: Browser }): Promise<Stage> {
  const server = await startSourceServer();
  const [page, { platform, browser }] = await Promise.all([servePlayerPage(), own ?? shared()]);
  return {
    server,
    platform,
    page,
    browser,
    async serve(name, path) {
      server.add(`/${name}`, { kind: "content", content: await fileContent(path) });
    },
    async close() {
      await Promise.all([page.close(), server.stop()]);
    },
  };
}

async function shared() {
  const [platform, browser] = await Promise.all([sharedPlatform(), testBrowser()]);
  return { platform, browser };
}
