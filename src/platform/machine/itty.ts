/**
 * Calls of state machines through itty-durable, typed by the machine's `*Calls` interface. No other file knows the library. Arguments travel
 * as the body of a POST: the library's own stub sends them in a header, which bounds their size and characters
 * (docs/decisions/0125-one-typed-door-per-object.md).
 */
import { createDurable } from "itty-durable";
import type { Remote } from "./remote.ts";

/** Where the library's router expects the call of a method. */
const CALL_URL = "https://itty-durable/do/call/";
const NO_RESULT = 204;

/** The stub of the machine with this name. Sends nothing. */
export function ittyMachine<Calls extends object>(machines: DurableObjectNamespace, name: string): Remote<Calls> {
  const stub = machines.get(machines.idFromName(name));
  const callOf =
    (method: string) =>
    async (...args: unknown[]): Promise<unknown> => {
      const response = await stub.fetch(CALL_URL + method, { method: "POST", body: JSON.stringify(args) });
      if (!response.ok) throw new Error(`a machine answered ${response.status} to ${method}`);
      return response.status === NO_RESULT ? undefined : await response.json();
    };
  // Without `then`, so that an async function may return the stub.
  const get = (_: object, method: string | symbol) =>
    typeof method === "symbol" || method === "then" ? undefined : callOf(method);
  return new Proxy({}, { get }) as Remote<Calls>;
}

/** What the library reads of a request. */
interface CallRequest {
  method: "GET";
  url: string;
  headers: { get: (name: string) => string | null };
}

/** The part of the library's class that is used. Its own types are `any`. */
type Base = new (state: object, env: object) => { fetch(request: CallRequest): Promise<Response> };

/** The library would answer 500 with the error's text alone: a thrown error is logged with its stack (`log-failures.ts`). */
const onError = (error: unknown): never => {
  throw error;
};

/** Routes calls to methods. The machine stores its own state, so the library's loading and persisting are disabled. */
class CallRouter extends (createDurable({ onError }) as unknown as Base) {
  getPersistable(): object {
    return {};
  }
  async loadFromStorage(): Promise<void> {}
}

/**
 * The receiving side of `ittyMachine`. Arguments and results are sent as JSON.
 *
 * @param calls their own methods are all that can be called
 * @returns the `fetch` handler of the Durable Object; it rejects with what a call throws
 */
export function serveCalls<Calls extends object>(calls: Calls): (request: Request) => Promise<Response> {
  // The library probes every binding of the environment that it is given, so it gets none.
  const router = Object.assign(new CallRouter({}, {}), calls);
  return async (request) => {
    const { method, url } = request;
    const name = url.startsWith(CALL_URL) ? url.slice(CALL_URL.length) : "";
    if (method !== "POST" || !Object.hasOwn(calls, name)) throw new Error(`a machine has no call ${method} ${url}`);
    let args: string | null = await request.text();
    const headers = { get: (header: string) => (header === "do-content" ? args : null) };
    try {
      return await router.fetch({ method: "GET", url, headers });
    } finally {
      args = null; // the library keeps the last request
    }
  };
}
