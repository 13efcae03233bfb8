/** Calls of a machine through itty-durable: both sides of `itty.ts`, without an object between them. */
import { describe, expect, test } from "vitest";
import { ittyMachine, serveCalls } from "../../../../src/platform/machine/itty.ts";

interface Calls {
  echo(...values: unknown[]): unknown;
  later(value: string): Promise<string>;
  nothing(): void;
  fail(): never;
}

const calls: Calls = {
  echo: (...values) => values,
  later: (value) => Promise.resolve(value),
  nothing: () => {},
  fail: () => {
    throw new TypeError("it failed");
  },
};

const serve = serveCalls<Calls>(calls);
const requests: Request[] = [];
const machines = {
  idFromName: (name: string) => name,
  get: () => ({
    fetch(url: string, init: RequestInit) {
      const request = new Request(url, init);
      requests.push(request.clone());
      return serve(request);
    },
  }),
} as unknown as DurableObjectNamespace;
const machine = ittyMachine<Calls>(machines, "one");

const post = (url: string, init: RequestInit = { method: "POST", body: "[]" }) => serve(new Request(url, init));

describe("a call of a machine", () => {
  test("carries arguments of any size and any characters", async () => {
    const document = { title: "Größe 🎬 \u2028", lines: ["a\nb", "c\r\n"], bytes: "x".repeat(1_000_000) };
    expect(await machine.echo(document, 1, null)).toEqual([document, 1, null]);
    expect([...requests.at(-1)!.headers.keys()].filter((name) => name !== "content-type")).toEqual([]);
  });

  test("has the result of the method: a value, that of a promise, or none", async () => {
    expect(await machine.later("done")).toBe("done");
    expect(await machine.nothing()).toBeUndefined();
    expect(await machine.echo()).toEqual([]);
  });

  test("rejects with what the method throws", async () => {
    await expect(machine.fail()).rejects.toThrow(new TypeError("it failed"));
    expect(await machine.later("afterwards")).toBe("afterwards");
  });

  test("concurrent calls have their own arguments", async () => {
    const values = Array.from({ length: 20 }, (_, n) => `value ${n}`);
    expect(await Promise.all(values.map((value) => machine.later(value)))).toEqual(values);
  });

  test("an async function may return the stub", async () => {
    const stub = await (async () => machine)();
    expect(await stub.later("still")).toBe("still");
  });
});

test.each([
  ["a method that the calls lack", "https://itty-durable/do/call/start", undefined],
  ["a method of the library", "https://itty-durable/do/call/destroy", undefined],
  ["an inherited method", "https://itty-durable/do/call/constructor", undefined],
  ["a property", "https://itty-durable/do/get-prop/echo", undefined],
  ["a call of the release before, with a header", "https://itty-durable/do/call/echo", { method: "GET" }],
  ["a document of the release before", "https://machine/echo", undefined],
])("a machine answers no request for %s", async (_, url, init) => {
  await expect(post(url, init)).rejects.toThrow("a machine has no call");
});
