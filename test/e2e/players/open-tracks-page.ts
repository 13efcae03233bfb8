import type { Page } from "playwright-core";
import { withinLimit } from "./step-limit.ts";
import type { tracksHarness } from "./tracks-page.ts";

type Harness = typeof tracksHarness;

/** Limit per call. The longest plays a few seconds. */
const LIMIT_MS = 40_000;

/** Opens the page of `tracks-page.ts`. @returns calls a method of its harness; it throws with the state of the page when that takes too long */
export async function openTracksPage(tab: Page, url: string) {
  await tab.goto(url);
  await tab.waitForFunction(() => "tracksHarness" in window);
  return <Name extends keyof Harness>(name: Name, ...given: Parameters<Harness[Name]>) =>
    withinLimit(
      tab,
      `${name} ${JSON.stringify(given)}`,
      LIMIT_MS,
      tab.evaluate(
        ([method, values]) =>
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the page has it
          (window as unknown as { tracksHarness: Record<string, (...all: unknown[]) => unknown> }).tracksHarness[
            method
          ]!(...values),
        [name, given] as [string, unknown[]],
      ) as Promise<Awaited<ReturnType<Harness[Name]>>>,
    );
}
