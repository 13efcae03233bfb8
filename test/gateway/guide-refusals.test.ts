/** Tests that docs/guides/live.md has the exact texts of refusals over RTMP. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Admission, Listener } from "../../encoder/gateway/reception/incoming.ts";
import { openRtmpListener } from "../../encoder/gateway/rtmp/listener.ts";
import { REFUSALS } from "../../protocol/live.ts";
import { TestReception } from "./reception.ts";
import * as rtmp from "./rtmp-client.ts";
import { RtmpClient } from "./rtmp-client.ts";

const guide = readFileSync("docs/guides/live.md", "utf8");
const [table = ""] = /\| Reason +\| HTTP +\| RTMP.*?\n\n/s.exec(guide) ?? [];
/** The cells of the column for RTMP that hold a sentence. */
const documented = table
  .split("\n")
  .slice(2)
  .map((row) => row.split("|")[3]?.trim() ?? "")
  .filter(Boolean);

const reception = new TestReception();
let listener: Listener;
beforeAll(async () => {
  listener = await openRtmpListener({ host: "127.0.0.1", port: 0, protocol: "rtmp" }, reception);
});
afterAll(() => listener.close());

/** All bytes that the listener sends to a client before it closes the connection. */
async function answerTo(...bytes: Buffer[]): Promise<string> {
  const client = new RtmpClient(listener.port).send(...bytes);
  await client.closed;
  return client.heard;
}

type Reason = Extract<Admission, { accepted: false }>["reason"];
const REASONS: readonly Reason[] = [...REFUSALS, "overloaded", "unavailable"];
const beforeAdmission: Record<string, () => Buffer[]> = {
  "a key that is too long": () => [rtmp.opening(listener.port, "k".repeat(513))],
  "a request to play": () => [
    rtmp.HANDSHAKE,
    rtmp.CHUNK_SIZE,
    rtmp.connectTo(listener.port),
    rtmp.CREATE_STREAM,
    rtmp.play("key"),
  ],
  "a second publish": () => [rtmp.opening(listener.port, "first"), rtmp.publish("second"), rtmp.setChunkSize(0)],
  "another application": () => [rtmp.HANDSHAKE, rtmp.CHUNK_SIZE, rtmp.connectTo(listener.port, "other")],
};

describe("the guide lists the text of each refusal:", () => {
  const seen = new Set<string>();
  const expectDocumented = (answer: string) => {
    const found = documented.filter((cell) => answer.includes(sentenceOf(cell)));
    expect(found, `the client got ${JSON.stringify(answer.slice(-200))}`).toHaveLength(1);
    const [code = "NetStream.Publish.BadName"] = /Net\w+\.\w+\.\w+/.exec(found[0]!) ?? [];
    expect(answer).toContain(code);
    seen.add(found[0]!);
  };

  test.each(REASONS)("%s", async (reason) => {
    reception.refused.set(reason, reason);
    expectDocumented(await answerTo(rtmp.opening(listener.port, reason)));
  });

  test.each(Object.entries(beforeAdmission))("%s", async (_, bytes) => {
    expectDocumented(await answerTo(...bytes()));
  });

  test("and no other texts", () => {
    expect([...seen].toSorted()).toEqual(documented.toSorted());
  });
});

/** A cell is the sentence, or a status code followed by the sentence. */
const sentenceOf = (cell: string) => cell.replace(/^`[\w.]+`: /, "");
