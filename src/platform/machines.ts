/** How the Worker calls a state machine (`durable-objects/machine.ts`), and what a machine's rules and messages look like. */
import { proxyDurable } from "itty-durable";

/** Per state, what each signal leads to: the next state and the event announced with it (null = none). */
export type Moves<Status extends string, Signal extends string> = Record<
  Status,
  Partial<Record<Signal, readonly [next: Status, event: string | null]>>
>;

export interface OutboxMessage {
  seq: number;
  kind: string;
  payload: unknown;
}

/** The methods of a machine as a stub has them: results travel as JSON. */
export type Remote<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

/** Synchronous on purpose: the stub answers `then`, so it must never be returned from an async function. */
export function machineStub<T>(namespace: DurableObjectNamespace, id: string): Remote<T> {
  return proxyDurable(namespace, { parse: true }).get(id) as Remote<T>;
}

/** Hands a document to a machine and gives back its answer. */
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
