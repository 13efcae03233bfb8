/** The receiving side of `calls.ts`: small calls through itty-durable, documents as POST (docs/decisions/0002-documents-by-post.md). */
import { createDurable } from "itty-durable";

/** The part of itty-durable's class that is used. Its own types are `any`, so no other file sees the class. */
interface IttyDurable {
  fetch(request: Request): Promise<Response>;
}
/** The library would answer 500 with the error's text alone: a thrown error is logged with its stack (`log-failures.ts`). */
const onError = (error: unknown): never => {
  throw error;
};
const Base = createDurable({ onError }) as unknown as new (state: object, env: object) => IttyDurable;

/** Routes calls to methods. The machine stores its own state, so the library's loading and persisting are disabled. */
class CallRouter extends Base {
  getPersistable(): object {
    return {};
  }
  async loadFromStorage(): Promise<void> {}
}

export interface MachineServer {
  /** Small calls, by name. Arguments are sent as JSON in a header: ids, numbers, short ASCII codes. */
  calls: object;
  /** Receives what `callMachine` sends. */
  receive: (name: string, document: unknown) => unknown;
}

/** @returns the `fetch` handler of the Durable Object */
export function serveMachine({ calls, receive }: MachineServer): (request: Request) => Promise<Response> {
  // Made when it is needed: it takes a sixth of the CPU time of a new view, whose machine receives documents only.
  let router: IttyDurable | null = null;
  return async (request) => {
    if (request.method !== "POST")
      return await (router ??= Object.assign(new CallRouter({}, {}), calls)).fetch(request);
    const name = new URL(request.url).pathname.slice(1);
    return Response.json((await receive(name, await request.json())) ?? null);
  };
}
