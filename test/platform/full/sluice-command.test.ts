/** The command `sluice` as a user runs it: a process beside a running platform. */
import { chmod, mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommand, type RunningCommand, startCommand } from "../../support/command.ts";
import { sharedPlatform, type SharedPlatform } from "../../support/platform.ts";

const FILM = resolve("test/fixtures/friday.mp4");
const SLUICE = [process.execPath, resolve("sdk/bin/sluice.js")];
const LARGE_BYTES = 300 * 1024 * 1024;

let platform: SharedPlatform;
let folder: string;
const running: RunningCommand[] = [];

beforeAll(async () => {
  [platform, folder] = await Promise.all([sharedPlatform(), mkdtemp(join(tmpdir(), "sluice-command-"))]);
});
afterAll(async () => {
  for (const command of running) command.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** Beside the platform, by its `local.json`. */
const here = () => ({ cwd: folder, env: { SLUICE_HOME: platform.home, HOME: folder, XDG_CONFIG_HOME: folder } });
const sluice = (...args: string[]) => runCommand([...SLUICE, ...args], here());
function start(...args: string[]): RunningCommand {
  const command = startCommand([...SLUICE, ...args], here());
  running.push(command);
  return command;
}
const kinds = (said: { kind: string }[]) => [...new Set(said.map(({ kind }) => kind))];
const secretsOf = () => {
  const { password } = platform.settings.secrets;
  return [password, platform.authorization.slice("Basic ".length)];
};

/** A file whose upload takes longer than a test needs to change something. */
async function largeFile(name: string, bytes = LARGE_BYTES): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, "not a film");
  await truncate(path, bytes);
  return path;
}

async function uploadStatus(uploadId: unknown): Promise<string> {
  return (await platform.api<{ status: string }>("GET", `/v1/on-demand/upload/${String(uploadId)}`)).body.data.status;
}

describe("upload", () => {
  test("--watch reports the file's way from its first byte to ready, and the addresses that play it", async () => {
    const { status, said, output } = await sluice("upload", FILM, "--watch", "--json");
    expect([status, kinds(said).filter((kind) => kind !== "progress")]).toEqual([
      0,
      ["created", "sent", "uploaded", "playable", "ready", "links"],
    ]);
    expect(said.findLast(({ kind }) => kind === "sent")).toMatchObject({
      sentBytes: 515_198,
      totalBytes: 515_198,
    });
    const { player, hls, dash } = said.at(-1) as unknown as Record<string, string>;
    for (const url of [player, hls, dash]) expect((await fetch(url!)).status).toBe(200);
    const [{ mediaId } = { mediaId: "" }] = said;
    expect((await platform.api("GET", `/v1/on-demand/${String(mediaId)}`)).body.data).toMatchObject({
      title: "friday.mp4",
      status: "Ready",
    });
    for (const secret of [...secretsOf(), "signature="]) expect(output).not.toContain(secret);
  });

  test("plays before it is ready in text too, with a bar at each quarter", async () => {
    const { status, output } = await sluice("upload", FILM, "--watch", "--title", "Friday");
    expect(status).toBe(0);
    expect(output).toMatch(/Sluice · Friday\n[^]*✓ Created[^]*100 %[^]*✓ Uploaded[^]*✓ Playable[^]*✓ Ready +\d/);
    expect(output).toContain(`Player       ${platform.baseUrl}/player/`);
  });

  test("without --watch says that the media is still being processed", async () => {
    const { status, output } = await sluice("upload", FILM);
    expect([status, output]).toEqual([0, expect.stringContaining("still being processed")]);
  });

  test("of a private media waits with a token of its own, and does not print it", async () => {
    const { status, said, output } = await sluice("upload", FILM, "--watch", "--json", "--private");
    expect(status).toBe(0);
    const { hls } = said.at(-1) as unknown as { hls: string };
    expect((await fetch(hls)).status).toBe(401);
    expect(output).not.toContain("token=");
  });

  test("takes the standard input", async () => {
    const command = start("upload", "-", "--json", "--title", "Piped");
    command.write(await readFile(FILM));
    command.endInput();
    expect(await command.exit).toBe(0);
    const { mediaId } = await command.until("created");
    const media = await platform.until(String(mediaId), ({ status }) => status === "Ready");
    expect(media).toMatchObject({ title: "Piped", duration: "00:00:06" });
  });

  test("of a URL has the platform fetch it, and explains why a media failed", async () => {
    const server = createServer((_, response) => void response.writeHead(404).end());
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    const { status, said } = await sluice("upload", `http://127.0.0.1:${port}/film.mp4`, "--watch", "--json");
    server.close();
    expect([status, said[0]!.kind, said.at(-1)!.kind]).toEqual([1, "created", "error"]);
    const { body } = await platform.api("GET", `/v1/on-demand/${String(said[0]!["mediaId"])}`);
    expect(body.data).toMatchObject({ title: "film.mp4", error: { message: said.at(-1)!["message"] } });
  });

  test.each(["SIGINT", "SIGTERM"] as const)("is cancelled by %s, on the platform too", async (signal) => {
    const command = start("upload", await largeFile(`${signal}.mp4`), "--json");
    const { mediaId } = await command.until("created");
    await command.until("sent", ({ sentBytes }) => Number(sentBytes) > 0);
    command.kill(signal);
    expect(await command.exit).toBe(130);
    expect(await uploadStatus(mediaId)).toBe("cancelled");
  });

  test("is cancelled by Ctrl-C while the standard input says nothing", async () => {
    const command = start("upload", "-", "--json");
    const { mediaId } = await command.until("created");
    await command.until("sent");
    command.kill("SIGINT");
    expect(await command.exit).toBe(130);
    expect(await uploadStatus(mediaId)).toBe("cancelled");
  });

  test.each([
    ["is overwritten", "r+"],
    ["is replaced by a shorter one", "w"],
  ])("of a file that %s meanwhile fails, and is cancelled", async (_, flag) => {
    const path = await largeFile("changed.mp4");
    const command = start("upload", path, "--json");
    const { mediaId } = await command.until("created");
    await command.until("sent", ({ sentBytes }) => Number(sentBytes) > 0);
    await writeFile(path, "another", { flag });
    expect(await command.exit).toBe(1);
    expect(await command.until("error")).toMatchObject({ message: "the file was changed while it was uploaded" });
    expect(await uploadStatus(mediaId)).toBe("cancelled");
  });

  test("continues when the Worker is killed and comes back", async () => {
    const totalBytes = LARGE_BYTES / 4;
    const command = start("upload", await largeFile("restart.mp4", totalBytes), "--json");
    await command.until("sent", ({ sentBytes }) => Number(sentBytes) > totalBytes / 10);
    process.kill(platform.pids.worker()!, "SIGKILL");
    const { bytes } = await command.until("uploaded");
    expect([bytes, await command.exit]).toEqual([totalBytes, 0]);
  });
});

test("list shows the newest media first, as many as asked, in text and as JSON", async () => {
  await platform.create("http://127.0.0.1:9/a.mp4", { title: "Older" });
  const { assetId } = await platform.create("http://127.0.0.1:9/b.mp4", { title: "Newer" });
  const text = await sluice("list", "--limit", "1");
  expect([text.status, text.output]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  \\w+ .*${assetId}  Newer\\n$`)),
  ]);
  const json = await sluice("list", "--limit", "2", "--json");
  expect(
    json.output
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { title: string }).title),
  ).toEqual(["Newer", "Older"]);
});

test("list ends quietly when its reader does", async () => {
  const words = SLUICE.map((word) => `'${word}'`).join(" ");
  const script = `set -o pipefail; ${words} list --limit 0 | head -n 1 >/dev/null`;
  const { status, output } = await runCommand(["bash", "-c", script], here());
  expect([status, output]).toEqual([0, ""]);
});

test("live create makes a stream with the given settings, and prints where to broadcast to", async () => {
  const { status, said } = await sluice("live", "create", "--json", "--dvr", "--private", "--metadata", "a=b=c");
  const [stream] = said;
  expect([status, stream]).toMatchObject([0, { kind: "stream", ingest: { http: expect.stringMatching(/^http/) } }]);
  const { body } = await platform.api("GET", `/v1/live/streams/${String(stream!["streamId"])}`);
  expect(body.data).toMatchObject({
    enableDvrMode: true,
    metadata: { a: "b=c" },
    playbackIds: [{ id: stream!["playbackId"], accessPolicy: "private" }],
  });
  expect((await sluice("live", "create")).output).toMatch(/keep them secret[^]*HTTP +http[^]*Player +http/);
});

describe("events tail", () => {
  const event = (type: string) => (line: string) => line.startsWith(`{"type":"${type}"`);
  const lines = (command: RunningCommand) => command.output().split("\n");

  test("shows the newest events, then each new one once, until Ctrl-C", async () => {
    const before = await platform.create("http://127.0.0.1:9/a.mp4", { title: "Before" });
    const command = start("events", "tail", "--json", "--type", "asset.created", "--limit", "1");
    await expect.poll(() => lines(command).filter(event("asset.created")), { timeout: 20_000 }).toHaveLength(1);
    expect(command.output()).toContain(before.assetId);
    const after = await platform.create("http://127.0.0.1:9/a.mp4", { title: "After" });
    await expect.poll(command.output, { timeout: 20_000 }).toContain(after.assetId);
    command.kill("SIGINT");
    expect(await command.exit).toBe(0);
    expect(lines(command).filter(event("asset.created"))).toHaveLength(2);
  });

  test("of one object since a time shows its events in their order", async () => {
    const { assetId } = await platform.create("http://127.0.0.1:9/a.mp4");
    await platform.api("DELETE", `/v1/on-demand/${assetId}`);
    const command = start("events", "tail", "--object", assetId, "--since", "1h");
    await expect.poll(command.output, { timeout: 20_000 }).toMatch(/asset\.created[^]*video\.media\.deleted/);
    command.kill("SIGINT");
    expect(await command.exit).toBe(0);
  });
});

describe("login", () => {
  const apart = (home: string) => ({ cwd: folder, env: { HOME: home, XDG_CONFIG_HOME: join(home, "config") } });
  const login = (home: string, input: string, baseUrl = platform.baseUrl) => {
    const { username } = platform.settings.secrets;
    const words = ["login", "--base-url", baseUrl, "--access-token", username];
    return runCommand([...SLUICE, ...words], { ...apart(home), input });
  };

  test("stores a credential that only its owner can read, and the other commands use it", async () => {
    const home = join(folder, "login");
    await mkdir(join(home, "config", "sluice"), { recursive: true });
    const path = join(home, "config", "sluice", "credentials.json");
    await writeFile(path, "an older one");
    await chmod(path, 0o644);
    const { status, output } = await login(home, `${platform.settings.secrets.password}\n`, `${platform.baseUrl}/v1/`);
    expect([status, output]).toEqual([0, `  Logged in to ${platform.baseUrl}. The credential is in ${path}.\n`]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await runCommand([...SLUICE, "list"], apart(home))).status).toBe(0);
  });

  test("stores nothing when the credential is wrong, or nothing answers", async () => {
    const home = join(folder, "refused");
    const wrong = await login(home, "wrong-secret\n");
    expect([wrong.status, wrong.output]).toEqual([
      1,
      "The access token or the secret key is wrong. Nothing was stored.\n",
    ]);
    const absent = await login(home, "secret\n", "http://127.0.0.1:9");
    expect([absent.status, absent.output]).toEqual([1, "The platform at http://127.0.0.1:9 cannot be reached.\n"]);
    await expect(stat(join(home, "config"))).rejects.toThrow("ENOENT");
  });

  test("asks for what is missing on a terminal, and does not show the secret", async () => {
    const home = join(folder, "terminal");
    const { username, password } = platform.settings.secrets;
    const words = [...SLUICE, "login"].map((word) => `'${word}'`).join(" ");
    const command = startCommand(["script", "-qec", words, "/dev/null"], apart(home));
    for (const [question, answer] of [
      ["Base URL: ", platform.baseUrl],
      ["Access token: ", username],
      ["Secret key: ", `x\u007F${password}`],
    ] as const) {
      await expect.poll(command.output, { timeout: 20_000 }).toContain(question);
      command.write(`${answer}\r`);
    }
    expect(await command.exit).toBe(0);
    expect(command.output()).toContain("Logged in to");
    expect(command.output()).not.toContain(password);
  });
});

describe("a failure is explained, with its own exit status", () => {
  const wrongKey = { SLUICE_ACCESS_TOKEN: "a", SLUICE_SECRET_KEY: "b" };
  const cases: [string, string[], NodeJS.ProcessEnv | null, number, string][] = [
    ["a missing file", ["upload", "/no/such.mp4"], null, 1, "There is no file /no/such.mp4.\n"],
    ["a folder", ["upload", "/"], null, 1, "The path / is a folder; give a file.\n"],
    ["an empty file", ["upload", "/dev/null"], null, 1, "The file /dev/null is empty.\n"],
    ["no file", ["upload"], null, 2, "FILE or URL is missing.\n"],
    ["two files", ["upload", "a", "b"], null, 2, 'Unexpected argument "b".\n'],
    [
      "an unknown option",
      ["list", "--limt", "1"],
      null,
      2,
      "There is no option --limt; did you mean --limit? (there are --limit, --json).\n",
    ],
    [
      "a URL of another protocol",
      ["upload", "ftp://x/y.mp4"],
      null,
      2,
      "Only http and https URLs can be fetched, not ftp://x/y.mp4.\n",
    ],
    ["an empty path", ["upload", ""], null, 2, "FILE or URL is empty.\n"],
    [
      "a secret that is none of a webhook",
      ["webhooks", "listen", "--secret", "short"],
      null,
      2,
      "--secret is not a webhook's secret: it is Base64 of 32 bytes. Give it exactly as the API returned it.\n",
    ],
    ["an option of another form", ["list", "--limit", "x"], null, 2, '--limit is "x"; it must be an integer from 0'],
    ["an unknown choice", ["live", "create", "--latency", "no"], null, 2, '--latency is "no"; it must be one of low'],
    ["a broken pair", ["live", "create", "--metadata", "a"], null, 2, '--metadata is "a"; it must be KEY=VALUE.\n'],
    ["an unreadable time", ["events", "tail", "--since", "noon"], null, 2, '--since is "noon"; give 10m, 24h'],
    ["the help of commands with one first word", ["live", "--help"], null, 0, "live create"],
    ["an unknown command", ["uplaod"], null, 2, 'There is no command "uplaod". Did you mean "upload"?\n'],
    ["half a command", ["live"], null, 2, 'There is no command "live". Did you mean "live create"?\n'],
    ["a misspelt second word", ["live", "craete"], null, 2, 'command "live craete". Did you mean "live create"?\n'],
    ["a misspelt command of two words", ["evnts", "tail"], null, 2, 'Did you mean "events tail"?\n'],
    ["the version", ["--version"], null, 0, "0.1.0\n"],
    [
      "an invalid filter",
      ["events", "tail", "--type", "asset.redy"],
      null,
      1,
      "  type: is not a kind of event; did you",
    ],
    [
      "wrong credentials",
      ["list"],
      { SLUICE_BASE_URL: "", ...wrongKey },
      1,
      "The environment is incomplete: set SLUICE_BASE_URL too.\n",
    ],
    [
      "an unreachable host",
      ["list"],
      { SLUICE_BASE_URL: "http://127.0.0.1:9", ...wrongKey },
      1,
      "The platform at http://127.0.0.1:9 cannot be reached.\n",
    ],
    ["no URL", ["list"], { SLUICE_BASE_URL: "127.0.0.1", ...wrongKey }, 1, "The base URL must be an http(s) URL"],
    [
      "no credentials",
      ["list"],
      { SLUICE_HOME: "/no/platform" },
      1,
      "No platform runs here: there is no /no/platform/local.json",
    ],
  ];
  test.each(cases)("%s", async (_, args, env, status, text) => {
    const options = env === null ? here() : { cwd: folder, env: { HOME: folder, ...env } };
    const ended = await runCommand([...SLUICE, ...args], options);
    expect([ended.status, ended.output]).toEqual([status, expect.stringContaining(text)]);
    expect(ended.output).not.toContain("    at "); // no stack
  });

  test("wrong credentials", async () => {
    const env = { HOME: folder, SLUICE_BASE_URL: platform.baseUrl, ...wrongKey };
    const { status, output } = await runCommand([...SLUICE, "list"], { cwd: folder, env });
    const hint = "They are those of SLUICE_ACCESS_TOKEN and SLUICE_SECRET_KEY: correct these variables, or unset them";
    expect([status, output]).toEqual([1, expect.stringContaining(`refuses the credentials (401). ${hint}`)]);
  });

  test("invalid fields, each on a line, and as JSON", async () => {
    const title = "x".repeat(256);
    const text = await sluice("upload", FILM, "--title", title);
    expect([text.status, text.output]).toEqual([
      1,
      expect.stringMatching(
        /refused the request \(422\).*:\n {2}pushMediaSettings\.title: must be a string of up to 255/,
      ),
    ]);
    const json = await sluice("upload", FILM, "--title", title, "--json");
    expect(json.said).toMatchObject([{ kind: "error", status: 422, fields: [{ field: "pushMediaSettings.title" }] }]);
  });
});

test("npx finds the command in the repository, and every command has a help text", async () => {
  const env = { HOME: process.env["HOME"] };
  const { status, output } = await runCommand(["npx", "sluice", "--help"], { env });
  expect(status).toBe(0);
  const names = [...output.matchAll(/^ {2}((?:[a-z]+ ?)+?) {2,}/gm)].map(([, name]) => name!.trim());
  expect(names).toEqual([
    "login",
    "upload",
    "list",
    "captions",
    "live create",
    "events tail",
    "webhooks listen",
    "whisper get",
    "import",
  ]);
  for (const name of names) {
    const help = await sluice(...name.split(" "), "--help");
    expect([help.status, help.output]).toEqual([0, expect.stringContaining(`sluice ${name}`)]);
  }
});
