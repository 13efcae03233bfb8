import { describe, expect, test } from "vitest";
import { announce } from "../events/webhooks/webhook-helpers.ts";
import { until } from "../events/webhooks/webhook-rows.ts";
import { newWorkspace } from "../workspace.ts";
import { clientOf, networkOf } from "./network.ts";

/** The ids of the next events; ends the following after that many. */
async function next(events: AsyncGenerator<{ id: string }>, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await events.next()).value!.id);
  return ids;
}

describe("following events", () => {
  test("shows each new event once, in the order of their arrival, and none that was recorded before", async () => {
    const workspace = await newWorkspace();
    await announce(workspace);
    const controller = new AbortController();
    const network = networkOf();
    const events = clientOf(workspace, network).followEvents({ signal: controller.signal });
    const first = next(events, 2);
    const made: string[] = [];
    // What is recorded already has been read: the third request is the first poll.
    await until(
      async () => network.requests.length,
      (count) => count > 2,
    );
    for (let n = 0; n < 2; n += 1) made.push(await announce(workspace));
    expect(await first).toEqual(made);
    const third = next(events, 1);
    const late = await announce(workspace, { occurredAtMs: Date.now() - 20_000 });
    expect(await third).toEqual([late]); // its time is before that of the others
    controller.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test("since a time begins with the events from then on, oldest first, of one kind if asked", async () => {
    const workspace = await newWorkspace();
    const at = Date.now();
    const [, second, third] = [
      await announce(workspace, { occurredAtMs: at - 60_000 }),
      await announce(workspace, { occurredAtMs: at - 1000 }),
      await announce(workspace, { occurredAtMs: at - 500 }),
    ];
    await announce(workspace, { occurredAtMs: at, type: "video.live_stream.idle" });
    const since = new Date(at - 1000);
    const events = clientOf(workspace).followEvents({ since, type: "video.media.*" });
    expect(await next(events, 2)).toEqual([second, third]);
  });
});
