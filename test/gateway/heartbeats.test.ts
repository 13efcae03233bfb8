import { expect, test } from "vitest";
import { Heartbeats } from "../../encoder/gateway/reception/heartbeats.ts";
import type { SessionClient } from "../../encoder/gateway/worker/session-client.ts";
import type { HeartbeatRequest } from "../../protocol/live.ts";
import { until } from "./until.ts";

const IDS = { streamId: "s", sessionId: "b" };
const PROGRESS = { segments: 3, droppedRungs: [], speed: 1, warnings: [] };

function started(answer: object) {
  const sent: HeartbeatRequest[] = [];
  const ends: string[] = [];
  const client = {
    heartbeat: (heartbeat: HeartbeatRequest) => {
      sent.push(heartbeat);
      return Promise.resolve(answer);
    },
  } as unknown as SessionClient;
  const source = { lastByteAtMs: performance.now(), hasEnded: false };
  const heartbeats = new Heartbeats(source, client, IDS, () => PROGRESS, {
    onSilent() {},
    onEndWanted() {},
    onOver: (reason) => void ends.push(reason),
  });
  heartbeats.start();
  return { heartbeats, source, sent, ends };
}

test("the end of a connection is reported at once, and not after the broadcast", async () => {
  const { heartbeats, source, sent } = started({ continue: true, reason: null });
  source.hasEnded = true;
  heartbeats.sendNow();
  expect(sent).toEqual([expect.objectContaining({ hasDisconnected: true })]);
  heartbeats.stop();
  await Promise.resolve(); // it is answered
  heartbeats.sendNow();
  expect(sent).toHaveLength(1);
});

test("a session that is over without a reason ends as `over`, whatever the Worker's answer was", async () => {
  for (const answer of [
    { continue: false, reason: null },
    { continue: true, reason: null },
  ]) {
    const { heartbeats, ends } = started(answer);
    await heartbeats.fetchEndReason(410);
    await until(() => ends.length > 0);
    heartbeats.stop();
    expect(ends).toEqual(["over"]);
  }
});
