/** One of the Worker's own entrypoints; undefined where the runtime offers none. @param exports of an execution context or an object's state */
export function entrypoint(exports: unknown, name: "default" | "PlaybackOrigin"): Fetcher | undefined {
  if (typeof exports !== "object" || exports === null || !(name in exports)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the runtime makes a Fetcher of every exported entrypoint
  return (exports as Record<string, Fetcher>)[name];
}
