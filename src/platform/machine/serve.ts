/** The receiving side of `calls.ts`: small calls through itty-durable, documents as POST (docs/decisions/0002-documents-by-post.md). */
import { createDurable } from "itty-durable";

/** The part of itty-durable's class that is used. Its own types are `any`, so no other file sees the class. */
interface IttyDurable {
  fetch(request: Request): Promise<Response>;
}
const Base = createDurable() as unknown as new (state: object, env: object) => IttyDurable;

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
  const router: IttyDurable = Object.assign(new CallRouter({}, {}), calls);
  return async (request) => {
    if (request.method !== "POST") return await router.fetch(request);
    const name = new URL(request.url).pathname.slice(1);
    return Response.json((await receive(name, await request.json())) ?? null);
  };
}
