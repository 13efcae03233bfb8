/** The Worker's calls to state machines. `serve.ts` is the receiving side. */
import { proxyDurable } from "itty-durable";

/** The methods of a machine's stub. Results are sent as JSON. */
export type Remote<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

/** Synchronous on purpose: the stub has a `then`, so an async function must never return it. */
export function machineStub<T>(namespace: DurableObjectNamespace, id: string): Remote<T> {
  return proxyDurable(namespace, { parse: true }).get(id) as Remote<T>;
}

/** Sends a document to a machine and returns its answer. */
export async function callMachine<T>(
  namespace: DurableObjectNamespace,
  id: string,
  name: string,
  document: unknown,
): Promise<T> {
  const stub = namespace.get(namespace.idFromName(id));
  const response = await stub.fetch(`https://machine/${name}`, { method: "POST", body: JSON.stringify(document) });
  if (!response.ok) throw new Error(`machine answered ${response.status} to ${name}`);
  return await response.json<T>();
}
