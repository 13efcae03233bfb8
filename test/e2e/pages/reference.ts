import { expect, test } from "vitest";
import type { Stage } from "../players/stage.ts";

/** The API reference in a browser, on a running platform. */
export function testReference(stage: () => Stage): void {
  test("the API reference groups the operations, and calls one with the local credentials", async () => {
    const { browser, platform } = stage();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "dark" });
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    const hosts = new Set<string>();
    page.on("console", (message) => {
      const isExpected = message.text().includes("status of 401");
      if (message.type() === "error" && !isExpected) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => hosts.add(new URL(request.url()).host));
    await page.goto(`${platform.baseUrl}/v1/reference`);
    for (const group of ["Media", "Start live stream", "Webhooks"])
      await page.getByRole("link", { name: group, exact: true }).first().waitFor();
    expect(await page.evaluate(() => document.body.classList.contains("dark-mode"))).toBe(true);

    await page
      .getByRole("link", { name: /^Page through media/ })
      .first()
      .click();
    await page.getByRole("button", { name: /^Test Request\s*\(get \/v1\/on-demand\)$/ }).click();
    const client = page.getByRole("dialog");
    await client.getByRole("button", { name: /^Send/ }).first().click();
    await client.getByText("401 Unauthorized").waitFor(); // not a dialog of the browser

    const [username, password] = Buffer.from(platform.authorization.slice("Basic ".length), "base64")
      .toString()
      .split(":");
    await client.locator("tr", { hasText: "Username" }).locator("[contenteditable=true]").fill(username!);
    await client.getByRole("textbox", { name: "Password" }).fill(password!);
    await client.getByRole("button", { name: /^Send/ }).first().click();
    await client.getByText("200 OK").waitFor();

    expect(complaints).toEqual([]);
    expect([...hosts].filter((host) => host !== "")).toEqual([new URL(platform.baseUrl).host]);
    await page.close();
  });
}
