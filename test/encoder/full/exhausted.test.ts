/** Tests a system without free descriptors for the pipes of another process. */
import { afterEach, expect, test } from "vitest";
import { leaveDescriptors, limitDescriptors } from "../../support/descriptors.ts";
import { TestEncoder } from "../../support/encoder.ts";
import { childrenOf } from "../../support/processes.ts";
import { makeSource } from "../../support/sources.ts";

const FOR_CONNECTIONS = 4; // fewer than a process with two pipes needs

let encoder: TestEncoder;
afterEach(() => encoder.stop());

test("fails the job that needs a process, but not the encoder", async () => {
  encoder = await TestEncoder.start();
  const pid = encoder.process.pid!;
  const source = await makeSource("mp4-fast-start");
  await encoder.probe(source); // connections to the callbacks are open
  await expect.poll(() => childrenOf(pid)).toHaveLength(2);
  for (const spare of childrenOf(pid)) process.kill(spare, "SIGKILL");
  await expect.poll(() => childrenOf(pid)).toHaveLength(0);
  leaveDescriptors(pid, FOR_CONNECTIONS);
  expect(await encoder.failure(source)).toMatchObject({ code: "encoder_crashed" });
  limitDescriptors(pid, 4096);
  expect((await encoder.probe(source)).video).not.toBeNull();
});
