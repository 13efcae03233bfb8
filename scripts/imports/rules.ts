import { posix } from "node:path";
import { findCircles, shortestCircle } from "./circles.ts";
import { isComposition, isOpen, type Place, placeOf } from "./map.ts";
import type { Module } from "./read.ts";

/** The Worker's entry point, which must export the classes of Durable Objects. */
const ENTRY = "src/worker.ts";
/** The list of the build's migrations, which the composition compares with those of the database. */
const MIGRATIONS = "migrations/meta/_journal.json";
/** The part of the SDK that runs in Node only. */
const COMMAND_LINE = "sdk/cli";
/** Parts of the platform that reach a binding or the network. */
const EFFECTS = /^src\/platform\/(env|database)\.ts$|^src\/platform\/(storage|network)\//;
/** Global types of the Workers runtime that are bindings, or results of bindings. */
const BINDING_TYPES = new Set([
  "D1Database",
  "R2Bucket",
  "Queue",
  "Fetcher",
  "RateLimit",
  "DurableObjectNamespace",
  "DurableObjectState",
  "DurableObjectStorage",
  "DurableObjectStub",
  "SqlStorage",
]);

/** The files that make stubs of Durable Objects, each typed by an interface of calls. */
const STUBS = new Set(["src/platform/machine/itty.ts", "src/platform/machine/remote.ts"]);
/** Methods of a namespace of Durable Objects without which no stub can be made. */
const OBJECT_IDS = new Set(["idFromName", "idFromString", "newUniqueId", "getByName"]);
const OBJECT_LIBRARY = "itty-durable";
/** Parts of a request that could name a call. */
const REQUEST_PARTS = new Set(["url", "pathname", "method", "headers", "json", "text"]);
/** The interfaces of objects, and the classes that implement them. */
const DOORS = /-calls\.ts$|^durable-objects\//;

/** @returns a description of every import that breaks a rule and of every cycle; empty = no violation */
export function brokenRules(modules: readonly Module[]): string[] {
  return [
    ...modules.flatMap(({ path, imports }) =>
      imports.flatMap((target) => {
        const rule = brokenBy(path, target);
        return rule === null ? [] : [`${path} imports ${target}: ${rule}`];
      }),
    ),
    ...modules.flatMap(bindingsOf),
    ...modules.flatMap(backDoorsOf),
    ...modules.flatMap(dispatchOf),
    ...findCircles(new Map(modules.map(({ path, imports }) => [path, new Set(imports)]))).map(
      (circle) => `circle of ${circle.length} files: ${circle.join(", ")}`,
    ),
    ...roomCircles(modules),
    ...unmappedDomains(modules),
  ];
}

/** Each cycle of rooms, with an import for each step of the shortest way around. */
function roomCircles(modules: readonly Module[]): string[] {
  const graph = roomGraph(modules);
  return findCircles(graph).map((circle) => {
    const shortest = shortestCircle(circle, graph);
    const steps = shortest.map((room, n) => importBetween(modules, room, shortest[n + 1] ?? shortest[0]!));
    return `circle of ${circle.length} folders: ${circle.join(", ")}, as ${steps.join(", and ")}`;
  });
}

function importBetween(modules: readonly Module[], from: string, to: string): string {
  const { path, imports } = modules.find(
    (module) => placeOf(module.path).room === from && module.imports.some((target) => placeOf(target).room === to),
  )!;
  return `${path} imports ${imports.find((target) => placeOf(target).room === to)}`;
}

const NO_FLOOR = "the folder has no floor (scripts/imports/map.ts)";

function unmappedDomains(modules: readonly Module[]): string[] {
  const places = modules.map(({ path }) => placeOf(path));
  const domains = places.flatMap(({ domain, floor }) => (domain !== null && floor === undefined ? [domain] : []));
  return [...new Set(domains)].map((domain) => `src/${domain}: ${NO_FLOOR}`);
}

function brokenBy(path: string, target: string): string | null {
  const [from, to] = [placeOf(path), placeOf(target)];
  if (from.root !== to.root) return brokenBetweenRoots(path, from, target, to);
  if (from.root !== "src") return null;
  if (from.floor === undefined || to.floor === undefined) return NO_FLOOR;
  if (from.floor < to.floor) return `${nameOf(from)} lies below ${nameOf(to)}`;
  if (from.domain === "media" && EFFECTS.test(target)) return "media/ is pure and reaches no binding";
  if (from.domain === to.domain || isComposition(from) || isOpen(to)) return null;
  return posix.basename(target) === "index.ts" ? null : `${nameOf(to)} is entered through an index.ts`;
}

function brokenBetweenRoots(path: string, from: Place, target: string, to: Place): string | null {
  if (from.root === "protocol") return "protocol/ imports nothing of ours but itself";
  const isCommandLine = from.room.startsWith(COMMAND_LINE);
  if (from.root === "sdk" && !(isCommandLine && to.root === "protocol"))
    return "sdk/ is a package of its own; only its command line shares protocol/";
  if (to.root === "protocol") return null;
  if (to.root === "sdk") return "the platform does not use its client";
  if (to.root === "encoder") return "the Worker shares only protocol/ with the encoder";
  if (from.root === "encoder") return "the encoder shares only protocol/ with the Worker";
  if (to.root === "durable-objects")
    return path === ENTRY ? null : "src/ calls an object through an interface of its domain";
  if (from.root === "durable-objects" && to.root === "src")
    return isComposition(to) ? `durable-objects/ lies below ${nameOf(to)}` : null;
  if (target === MIGRATIONS && isComposition(from)) return null;
  return `${target} is not on the map (scripts/imports/map.ts)`;
}

const nameOf = ({ domain, root }: Place): string => (domain === null ? `the composition in ${root}/` : `${domain}/`);

/** media/ and protocol/ contain pure rules: they use no binding, neither by import nor as a type. */
function bindingsOf({ path, packages, typeNames }: Module): string[] {
  const { root, domain } = placeOf(path);
  if (root !== "protocol" && domain !== "media") return [];
  return [
    ...packages.filter((name) => name.startsWith("cloudflare:") || name.startsWith("@cloudflare/")),
    ...typeNames.filter((name) => BINDING_TYPES.has(name)),
  ].map((name) => `${path} uses ${name}: ${domain ?? root}/ must not use bindings`);
}

/** A Durable Object is called through the typed interface of its `*-calls.ts`, never by a string or a request of the caller's own. */
function backDoorsOf({ path, imports, packages, memberNames }: Module): string[] {
  if (STUBS.has(path)) return [];
  const found = [
    ...memberNames.filter((name) => OBJECT_IDS.has(name)),
    ...packages.filter((name) => name === OBJECT_LIBRARY),
    ...(DOORS.test(path) ? [] : imports.filter((target) => STUBS.has(target))),
  ];
  return found.map((name) => `${path} uses ${name}: an object is called through the *-calls.ts of its domain`);
}

/** An object that answers requests decides by a string what it is asked for. Those of the state machines are read by `itty.ts` alone. */
function dispatchOf({ path, imports, memberNames, methodNames }: Module): string[] {
  if (!path.startsWith("durable-objects/") || !methodNames.includes("fetch")) return [];
  const isServed = imports.some((target) => STUBS.has(target)) && !memberNames.some((name) => REQUEST_PARTS.has(name));
  return isServed ? [] : [`${path} reads requests: an object is called by the methods of its *-calls.ts`];
}

/** The imports between rooms: each room with the rooms that its files import. */
function roomGraph(modules: readonly Module[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of modules) {
    const { room } = placeOf(path);
    const targets = graph.get(room) ?? new Set();
    graph.set(room, targets);
    for (const target of imports) if (placeOf(target).room !== room) targets.add(placeOf(target).room);
  }
  return graph;
}
