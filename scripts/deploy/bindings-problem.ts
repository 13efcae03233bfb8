import { BINDINGS } from "../../src/platform/bindings.ts";

/** The names under which the Worker finds what the configuration gives it; those of its variables are not among them. */
function bindingsIn(config: unknown, place = ""): string[] {
  if (Array.isArray(config)) return config.flatMap((one: unknown) => bindingsIn(one, place));
  if (typeof config !== "object" || config === null) return [];
  return Object.entries(config).flatMap(([field, value]: [string, unknown]) => {
    const isName = field === "binding" || (field === "name" && NAMED.has(place));
    return isName && typeof value === "string"
      ? [value]
      : bindingsIn(value, place === "" ? field : `${place}.${field}`);
  });
}

/** Where wrangler calls the binding `name`. */
const NAMED = new Set(["durable_objects.bindings", "ratelimits"]);

/**
 * @param config the content of wrangler.toml
 * @returns names each binding that the code uses and the file lacks, without a full stop; null = it has all
 */
export function bindingsProblem(config: object): string | null {
  const given = bindingsIn(config);
  const missing = BINDINGS.filter((name) => !given.includes(name));
  if (missing.length === 0) return null;
  const unused = given.filter((name) => !BINDINGS.includes(name));
  const others = unused.length === 0 ? "" : `; it has ${unused.join(", ")}, which the code does not use`;
  return `wrangler.toml has no binding ${missing.join(", ")}, which the code uses${others}`;
}
