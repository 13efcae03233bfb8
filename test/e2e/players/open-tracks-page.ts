import type { Page } from "playwright-core";
import type { tracksHarness } from "./tracks-page.ts";

type Harness = typeof tracksHarness;

/** Opens the page of `tracks-page.ts`. @returns calls a method of its harness */
export async function openTracksPage(tab: Page, url: string) {
  await tab.goto(url);
  await tab.waitForFunction(() => "tracksHarness" in window);
  return <Name extends keyof Harness>(name: Name, ...given: Parameters<Harness[Name]>) =>
    tab.evaluate(
      ([method, values]) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the page has it
        (window as unknown as { tracksHarness: Record<string, (...all: unknown[]) => unknown> }).tracksHarness[method]!(
          ...values,
        ),
      [name, given] as [string, unknown[]],
    ) as Promise<Awaited<ReturnType<Harness[Name]>>>;
}
