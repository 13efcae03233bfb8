/** Tests the limit of concurrent decisions on SRT callers of one network. */
import type { Socket } from "node:dgram";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Listener } from "../../encoder/gateway/reception/incoming.ts";
import { DecisionSlots, SLOT_LIMITS } from "../../encoder/gateway/srt/decision-slots.ts";
import { openSrtListener } from "../../encoder/gateway/srt/listener.ts";
import { TestReception } from "./reception.ts";
import {
  CONCLUSION_WITHOUT_COOKIE,
  HANDSHAKE_TYPE_AT,
  INDUCTION,
  KEY_MATERIAL,
  openCaller,
  withCookieOf,
} from "./srt-datagrams.ts";
import { until } from "./until.ts";

/** 1000 and libsrt's number. */
const [WRONG_PASSPHRASE, OVERLOAD] = [1010, 2402];

/** A Worker whose answers wait for the gate. */
class SlowReception extends TestReception {
  lookups = 0;
  override async passphraseOf(streamKey: string) {
    this.lookups += 1;
    await this.gate;
    return super.passphraseOf(streamKey);
  }
}

describe("at the listener", () => {
  let gate: PromiseWithResolvers<void>;
  const sockets: Socket[] = [];
  let reception: SlowReception;
  let listener: Listener;
  beforeEach(async () => {
    gate = Promise.withResolvers();
    reception = new SlowReception();
    reception.gate = gate.promise;
    reception.passphrases.set("key", "a passphrase");
    listener = await openSrtListener({ host: "127.0.0.1", port: 0 }, reception);
  });
  afterEach(async () => {
    gate.resolve();
    for (const socket of sockets.splice(0)) socket.close();
    await listener.close();
  });

  /** Callers of one address that send their conclusions, and the answer to each. */
  async function callers(count: number): Promise<(() => number | null)[]> {
    const opened: Awaited<ReturnType<typeof openCaller>>[] = [];
    for (let at = 0; at < count; at++) opened.push(await openCaller(listener.port));
    for (const { socket } of opened) sockets.push(socket);
    for (const { socket } of opened) socket.send(INDUCTION);
    await until(() => opened.every(({ heard }) => heard.length === 1));
    const conclusion = Buffer.concat([CONCLUSION_WITHOUT_COOKIE, KEY_MATERIAL]);
    for (const { socket, heard } of opened) socket.send(withCookieOf(heard[0]!, conclusion));
    return opened.map(
      ({ heard }) =>
        () =>
          heard[1]?.readUInt32BE(HANDSHAKE_TYPE_AT) ?? null,
    );
  }

  test("48 encoders that connect at once from one address are all admitted", async () => {
    const answers = await callers(48);
    await until(() => reception.lookups === SLOT_LIMITS.runningOfNetwork);
    expect(answers.map((answer) => answer())).toEqual(answers.map(() => null));
    gate.resolve();
    await until(() => answers.every((answer) => answer() !== null));
    expect(answers.map((answer) => answer())).toEqual(answers.map(() => WRONG_PASSPHRASE));
  });

  test("callers beyond the queue of their address are refused as overload immediately", async () => {
    const room = SLOT_LIMITS.runningOfNetwork + SLOT_LIMITS.waitingOfNetwork;
    const answers = await callers(room + 5);
    const refused = () => answers.map((answer) => answer()).filter((answer) => answer !== null);
    await until(() => refused().length === 5);
    expect(refused()).toEqual(Array.from({ length: 5 }, () => OVERLOAD));
  });
});

describe("slots", () => {
  const LIMITS = { running: 3, runningOfNetwork: 2, waiting: 3, waitingOfNetwork: 2, waitMs: 600_000 };
  /** The result of each so far. */
  function acquireAll(slots: DecisionSlots, ...addresses: string[]): (boolean | null)[] {
    const outcomes: (boolean | null)[] = addresses.map(() => null);
    addresses.forEach((address, at) => void slots.acquire(address).then((has) => (outcomes[at] = has)));
    return outcomes;
  }

  test("addresses of one /64 share the slots of a network, and those beyond its queue are refused immediately", async () => {
    const slots = new DecisionSlots(LIMITS);
    const outcomes = acquireAll(slots, "2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4", "2001:db8::5");
    await until(() => outcomes[4] !== null);
    expect(outcomes).toEqual([true, true, null, null, false]);
    slots.close();
  });

  test("a released slot goes to the longest-waiting caller whose network has a free slot", async () => {
    const slots = new DecisionSlots(LIMITS);
    const outcomes = acquireAll(slots, "1.1.1.1", "1.1.1.1", "1.1.1.1", "2.2.2.2", "2.2.2.2", "3.3.3.3");
    slots.release("2.2.2.2");
    await until(() => outcomes[4] !== null);
    expect(outcomes).toEqual([true, true, null, true, true, null]);
    slots.release("1.1.1.1");
    await until(() => outcomes[2] !== null);
    expect(outcomes).toEqual([true, true, true, true, true, null]);
    slots.close();
    await until(() => outcomes[5] !== null);
    expect(outcomes[5]).toBe(false);
  });

  test("a caller that waits too long is refused and leaves the queue", async () => {
    const slots = new DecisionSlots({ ...LIMITS, waitMs: 1 });
    for (let round = 0; round < 3; round++) {
      const outcomes = acquireAll(slots, "1.1.1.1", "1.1.1.1", "1.1.1.1", "1.1.1.1");
      await until(() => outcomes[3] !== null);
      expect(outcomes.slice(2)).toEqual([false, false]);
      if (round === 0) expect(outcomes).toEqual([true, true, false, false]);
    }
  });
});
