import type { Page } from "playwright-core";

/** The names of the events that a page reports. */
export function reportedBy(page: Page): string[] {
  const names: string[] = [];
  page.on("request", (request) => {
    if (!request.url().includes("/beacons/")) return;
    const { events } = JSON.parse(request.postData() ?? "") as { events: { evna: string }[] };
    names.push(...events.map(({ evna }) => evna));
  });
  return names;
}
