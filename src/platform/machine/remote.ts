/** Native RPC to a Durable Object, typed by the object's `*Calls` interface. */

/** An object's calls as its callers see them: each returns a promise. */
export type Remote<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Awaited<Answer>>
    : never;
};

/** The stub of the object with this name. Sends nothing. Never return it from an async function: a native stub answers `then`. */
export const remoteObject = <Calls extends object>(objects: DurableObjectNamespace, name: string): Remote<Calls> =>
  objects.get(objects.idFromName(name)) as unknown as Remote<Calls>;
