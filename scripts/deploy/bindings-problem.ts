import { BINDINGS, CONSUMED_QUEUES } from "../../src/platform/bindings.ts";

/** Names of the Worker's bindings, without its variables. */
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

/** Sections in which wrangler calls the binding's name `name`. */
const NAMED = new Set(["durable_objects.bindings", "ratelimits"]);

interface WithObjects {
  durable_objects?: { bindings?: { class_name: string }[] };
  migrations?: { tag?: string; new_sqlite_classes?: string[]; renamed_classes?: { to: string }[] }[];
}

/** Classes of Durable Objects that are bound but that no migration creates. Cloudflare refuses such a Worker. */
function untaggedClasses({ durable_objects: objects, migrations = [] }: WithObjects): string[] {
  const created = new Set(
    migrations.flatMap(({ new_sqlite_classes: made = [], renamed_classes: renamed = [] }) => [
      ...made,
      ...renamed.map(({ to }) => to),
    ]),
  );
  return (objects?.bindings ?? []).map((binding) => binding.class_name).filter((name) => !created.has(name));
}

/** Tags that several migrations have. Cloudflare stores only the tag that was applied last, by which wrangler finds the next migration. */
function repeatedTags({ migrations = [] }: WithObjects): string[] {
  const tags = migrations.flatMap(({ tag }) => tag ?? []);
  return [...new Set(tags.filter((tag, index) => tags.indexOf(tag) < index))];
}

const missingFrom = (given: string[]) => BINDINGS.filter((name) => !given.includes(name));

/**
 * @param config the content of wrangler.toml
 * @returns a text without a full stop for each Durable Object without a migration, each duplicate tag, and each binding that the code uses and the
 *   file lacks
 */
export function bindingsProblems(config: object): string[] {
  const problems = [
    ...untaggedClasses(config).map(
      (name) => `wrangler.toml binds the class ${name}, which none of its [[migrations]] creates`,
    ),
    ...repeatedTags(config).map(
      (tag) =>
        `wrangler.toml has two [[migrations]] with the tag "${tag}"; an account that has the first does not get the second, so give the later one a tag of its own`,
    ),
  ];
  const given = bindingsIn(config);
  const missing = missingFrom(given);
  if (missing.length === 0) return problems;
  const unused = given.filter((name) => !BINDINGS.includes(name));
  const others = unused.length === 0 ? "" : `; it has ${unused.join(", ")}, which the code does not use`;
  return [...problems, `wrangler.toml has no binding ${missing.join(", ")}, which the code uses${others}`];
}

/** @param types the types that wrangler generates from wrangler.toml; a class that the Worker does not export is a comment there */
export const unexportedClasses = (types: string): string[] =>
  [...types.matchAll(/: DurableObjectNamespace \/\* (\w+) \*\/;/g)].map(([, name]) => name!);

interface WithQueues {
  name?: string | undefined;
  queues?: { consumers?: { queue: string }[] | undefined } | undefined;
}

/**
 * Unused parts of wrangler.toml: bindings that the code does not name, and queues that the Worker does not consume. If the file also lacks a binding,
 * it may have it under a wrong name; `bindingsProblems` reports that.
 */
export function unlistedParts(config: WithQueues & object): string[] {
  const { name = "", queues } = config;
  const consumed = new Set<string>(CONSUMED_QUEUES.map((queue) => `${name}-${queue}`));
  const unconsumed = (queues?.consumers ?? []).map(({ queue }) => queue).filter((queue) => !consumed.has(queue));
  const given = bindingsIn(config);
  const unlisted = missingFrom(given).length > 0 ? [] : given.filter((binding) => !BINDINGS.includes(binding));
  return [
    ...unlisted.map(
      (binding) => `wrangler.toml has the binding ${binding}, which BINDINGS in src/platform/bindings.ts lacks`,
    ),
    ...[...new Set(unconsumed)].map(
      (queue) => `wrangler.toml has a consumer for ${queue}, which CONSUMED_QUEUES in src/platform/bindings.ts lacks`,
    ),
  ];
}
