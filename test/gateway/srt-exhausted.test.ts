/** Tests a caller that arrives while the system has no free descriptors. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { leaveDescriptors, limitDescriptors } from "../support/descriptors.ts";
import { broadcastOf, H264 } from "../support/live.ts";
import { push } from "./broadcaster.ts";
import { until } from "./until.ts";

const LISTENER = fileURLToPath(new URL("srt-listener-process.ts", import.meta.url));
const PASSPHRASE = `${"0123456789abcdef".repeat(2)}k${"fedcba9876543210".repeat(2)}`;

let listener: ReturnType<typeof start>;
afterEach(() => void listener.kill("SIGKILL"));
const start = () => spawn(process.execPath, [LISTENER, "key", PASSPHRASE], { stdio: ["ignore", "pipe", "inherit"] });

test("the caller is refused, the gateway keeps running, and the next caller is admitted", async () => {
  listener = start();
  let said = "";
  listener.stdout.on("data", (bytes: Buffer) => (said += bytes.toString()));
  await until(() => said.includes('"port"'));
  const { port } = JSON.parse(said.split("\n")[0]!) as { port: number };
  const pid = listener.pid!;
  const bytes = await broadcastOf(`$STRIP -t 3 ${H264} -c:a aac -f mpegts`);
  const url = `srt://127.0.0.1:${port}?streamid=key&pkt_size=1316&linger=2&latency=500000&passphrase=${PASSPHRASE}`;

  leaveDescriptors(pid, 0);
  const refused = await push(bytes, "mpegts", url).ran;
  expect(refused.code).not.toBe(0);
  await until(() => said.includes('"srt.receiver_failed"') || listener.exitCode !== null);
  expect(listener.exitCode).toBeNull();

  limitDescriptors(pid, 4096);
  expect((await push(bytes, "mpegts", url, "-re").ran).code).toBe(0);
  await until(() => said.includes('"whole":true') || listener.exitCode !== null);
  expect(listener.exitCode).toBeNull();
});
