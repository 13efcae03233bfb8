/** The credentials that `sluice` takes from a file of the current folder, which somebody else may have put there. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readLocalPlatform } from "../../../sdk/cli/session/local-platform.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-local-platform-"));
  path = join(folder, "local.json");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const write = (baseUrl: string) => writeFile(path, JSON.stringify({ baseUrl, username: "id", password: "secret" }));

test.each(["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:8787"])(
  "a platform at %s is used",
  async (baseUrl) => {
    await write(baseUrl);
    expect(await readLocalPlatform(path)).toEqual({ baseUrl, accessToken: "id", secretKey: "secret" });
  },
);

test.each([
  "https://video.example.com",
  "http://192.0.2.1:8787",
  "http://127.0.0.1.example.com",
  "http://localhost@example.com",
  "http://0.0.0.0:8787",
  "127.0.0.1:8787",
])("a platform at %s is refused by its name, because the file may be somebody else's", async (baseUrl) => {
  await write(baseUrl);
  await expect(readLocalPlatform(path)).rejects.toThrow(`${path} names "${baseUrl}", which is not on this machine`);
});

test("a file of another user is refused", async () => {
  await write("http://127.0.0.1:8787");
  vi.spyOn(process, "getuid").mockReturnValue(process.getuid!() + 1);
  await expect(readLocalPlatform(path)).rejects.toThrow("belongs to another user");
});

test("without a file there is no platform", async () => {
  expect(await readLocalPlatform(path)).toBeNull();
});
