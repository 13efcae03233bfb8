/** How the Worker reads an encoder's answer to a job. */
import { env } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import type { Job } from "../../../../protocol/jobs.ts";
import { encoderClient } from "../../../../src/library/encoding/encoder-client.ts";
import { openSourceServer, type RemoteServer } from "../sources/source-servers.ts";

let encoder: RemoteServer;
beforeAll(async () => {
  encoder = await openSourceServer();
});

const job = { jobId: "asset.probe", attempt: 1 } as Job;
async function submitTo(status: number) {
  await encoder.add("/jobs", { kind: "status", status });
  return await encoderClient({ ...env, ENCODER_URL: encoder.origin }).submit(job);
}

test.each([
  [202, "accepted"],
  [200, "accepted"],
  [429, "full"],
  [401, "unreachable"],
  [500, "unreachable"],
])("status %i means that the job is %s", async (status, submission) => {
  expect(await submitTo(status)).toBe(submission);
});

test("a job that the encoder rejects as malformed is an error, because a retry would be rejected too", async () => {
  await expect(submitTo(422)).rejects.toMatchObject({
    name: "JobRefused",
    message: expect.stringContaining(job.jobId),
  });
});

test("an unreachable encoder does not count as an attempt", async () => {
  expect(await encoderClient({ ...env, ENCODER_URL: "http://127.0.0.1:9" }).submit(job)).toBe("unreachable");
});
