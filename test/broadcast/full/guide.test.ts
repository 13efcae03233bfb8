/** The commands of docs/guides/live.md work: they broadcast to a real platform over each protocol, and play it. */
import { spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { codeBlocks, type CodeBlock } from "../../support/guide-blocks.ts";
import { startTestPlatform, type TestPlatform } from "../../support/platform.ts";

const blocks = codeBlocks("docs/guides/live.md").filter(({ language }) => language === "sh");
const broadcasts = blocks.filter(({ code }) => code.startsWith("ffmpeg "));
const first = blocks.slice(0, blocks.indexOf(broadcasts[0]!));
const others = blocks.slice(first.length).filter((block) => !broadcasts.includes(block));
const finish = others.filter(({ heading }) => heading === "End").slice(0, 1);
/** A session takes seconds. A hanging one ends with the platform. */
const SESSION_MS = 90_000;
const END = "--- end of a step ---";

let platform: TestPlatform;
beforeAll(async () => {
  vi.stubEnv("GATEWAY_CAPACITY", String(broadcasts.length)); // the default depends on this machine's cores
  platform = await startTestPlatform({ withIngest: true });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await platform?.stop();
  await platform?.removeHome();
});

interface Session {
  status: number | null;
  stderr: string;
  /** The output of each step. */
  answers: string[];
  /** The broadcaster's final answer. */
  finalAnswer: string;
}

/** A user's session: creates a stream, broadcasts to it in another terminal, and continues when it is on air. */
async function session(broadcast: CodeBlock, steps: CodeBlock[]): Promise<Session> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-guide-"));
  await mkdir(join(folder, ".sluice")); // of its own, because the commands write there
  await copyFile(join(platform.home, "local.json"), join(folder, ".sluice/local.json"));
  await symlink(resolve("test"), join(folder, "test"));
  const script = [
    ...first.map(({ code }) => code),
    `(${broadcast.code.trimEnd()}) > answer.txt 2> /dev/null < /dev/null &`,
    'until curl -s -u "$AUTH" "$API/v1/live/streams/$STREAM" | grep -q \'"status":"active"\'; do sleep 0.05; done',
    ...steps.map(({ code }) => `echo '${END}'\n${code}`),
    `echo '${END}'; wait || true; cat answer.txt`,
  ];
  const child = spawn("bash", ["--norc", "-euo", "pipefail", "-c", script.join("\n")], {
    cwd: folder,
    timeout: SESSION_MS,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("latin1")));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const status = await new Promise<number | null>((done) => child.once("close", done));
  await rm(folder, { recursive: true, force: true });
  const [, ...answers] = stdout.split(END).map((text) => text.trim());
  return { status, stderr, finalAnswer: answers.pop() ?? "", answers };
}

test("every command of the guide succeeds during a broadcast, over RTMP, SRT and HTTP", async () => {
  expect(broadcasts.map(({ heading }) => heading)).toEqual(["ffmpeg over RTMP", "ffmpeg over SRT", "HTTP"]);
  const [rtmp, srt, http] = await Promise.all([
    session(broadcasts[0]!, others),
    session(broadcasts[1]!, finish),
    session(broadcasts[2]!, finish),
  ]);
  for (const { status, stderr } of [rtmp, srt, http]) expect([status, stderr]).toEqual([0, ""]);
  for (const { answers } of [srt, http]) expect(answers).toEqual(['{"success":true}']);
  expect(http.finalAnswer).toBe('{"success":true,"data":{"reason":"finished"}}');

  expect(rtmp.answers).toHaveLength(others.length);
  const text = rtmp.answers.join("\n");
  expect(text).not.toContain('"success":false');
  expect(text).toMatch(/#EXT-X-STREAM-INF:.*AUDIO="audio"/);
  expect(text).toContain("?dvrMode=true");
  expect(text).toMatch(/<MPD [^>]*type="dynamic"/);
  expect(text).toMatch(/"views":\d/);
  expect(text).toMatch(/"status":"Ready"/); // the recording
});
