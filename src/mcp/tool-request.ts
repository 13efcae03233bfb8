import type { Place, Tool } from "./describe-tools.ts";

/** Arguments from which no request can be made. What they mean is checked by the API. */
export class WrongArguments extends Error {}

/**
 * The request of the API that a call of a tool is. Pure.
 *
 * @param url of any address on the host of the API
 * @param caller headers that say who calls
 * @throws {WrongArguments}
 */
export function toolRequest(tool: Tool, given: Record<string, unknown>, url: string, caller: Headers): Request {
  const parts: Record<Place["in"], Map<string, unknown>> = {
    path: new Map(),
    query: new Map(),
    header: new Map(),
    body: new Map(),
  };
  for (const [argument, value] of Object.entries(given)) {
    const place = tool.places.get(argument);
    if (place === undefined) throw new WrongArguments(`there is no argument \`${argument}\`: ${known(tool)}`);
    if (value !== null || place.in === "body") parts[place.in].set(place.name, value); // models write null for what they leave out
  }
  const target = new URL(filledPath(tool, parts.path), url);
  for (const [name, value] of parts.query)
    for (const one of Array.isArray(value) ? value : [value]) target.searchParams.append(name, plainText(name, one));
  const headers = new Headers(caller);
  headers.set("accept", "application/json, */*;q=0.5");
  for (const [name, value] of parts.header) headers.set(name, headerText(name, value));
  for (const [name, value] of Object.entries(tool.fixed)) parts.body.set(name, value);
  const hasBody = parts.body.size > 0 || [...tool.places.values()].some((place) => place.in === "body");
  if (!hasBody) return new Request(target, { method: tool.method, headers });
  headers.set("content-type", "application/json");
  // `fromEntries` defines a member named `__proto__` as any other.
  const body = JSON.stringify(Object.fromEntries(parts.body));
  return new Request(target, { method: tool.method, headers, body });
}

const known = ({ places }: Tool) =>
  places.size === 0 ? "the tool takes none" : `the tool takes ${[...places.keys()].join(", ")}`;

/** Ids and names of the API. A longer form, such as `..`, could lead to another route. */
const PATH_VALUE = /^[A-Za-z0-9_-]{1,64}$/;

function filledPath({ path }: Tool, values: ReadonlyMap<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new WrongArguments(`\`${name}\` is required`);
    const text = plainText(name, value);
    if (!PATH_VALUE.test(text)) throw new WrongArguments(`\`${name}\` is no id or name of the API`);
    return text;
  });
}

function plainText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new WrongArguments(`\`${name}\` must be a text, a number, or true or false`);
}

function headerText(name: string, value: unknown): string {
  const text = plainText(name, value);
  if (/^[\x20-\x7e]{0,255}$/.test(text)) return text;
  throw new WrongArguments(`\`${name}\` must have at most 255 printable ASCII characters`);
}
