/**
 * Failed logins are limited, by address and by credential, and cost no write. The platform counts in windows of a minute, and a test may
 * meet the end of one, so a limit shows after once to twice its number of attempts.
 */
import { env } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { type ErrorBody, newWorkspace, send, type TestWorkspace } from "../workspace.ts";

const LIMIT = 20;
let workspace: TestWorkspace;
let written: string[];
beforeAll(async () => {
  workspace = await newWorkspace();
});

const database = () =>
  new Proxy(env.DB, {
    get(target, name) {
      if (name === "prepare")
        return (text: string) => {
          if (!/^select/i.test(text)) written.push(text);
          return target.prepare(text);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
function attempt(address: string, authorization: string): Promise<Response> {
  const headers = { authorization, "cf-connecting-ip": address };
  return send(new Request("http://sluice.test/v1/on-demand", { headers }), { DB: database() });
}
const wrong = (id: string) => `Basic ${btoa(`${id}:wrong`)}`;
const idOf = ({ authorization }: TestWorkspace) => atob(authorization.slice("Basic ".length)).split(":")[0]!;

/** Fails until it is answered anything but 401. */
async function failOn(once: (n: number) => Promise<Response>): Promise<{ allowed: number; refused: Response }> {
  for (let allowed = 0; allowed <= 2 * LIMIT; allowed++) {
    const refused = await once(allowed);
    if (refused.status !== 401) return { allowed, refused };
  }
  throw new Error("no attempt was refused");
}

test("more than 20 failures of an address within a minute are answered 429 with Retry-After, and nothing is written", async () => {
  written = [];
  const { allowed, refused } = await failOn(() => attempt("198.51.100.1", wrong(crypto.randomUUID())));
  expect(allowed).toBeGreaterThanOrEqual(LIMIT);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(await refused.json<ErrorBody>()).toEqual({
    success: false,
    error: { code: 429, message: "too many requests", description: "too many failed logins" },
  });
  expect(written).toEqual([]);
  expect((await attempt("198.51.100.2", wrong(crypto.randomUUID()))).status).toBe(401);
});

test("failed logins of one credential are limited over all addresses, and do not lock out its holder", async () => {
  written = [];
  const id = idOf(workspace);
  const guess = (n: number) => attempt(`203.0.113.${n}`, wrong(id));
  const { allowed, refused } = await failOn(guess);
  expect(allowed).toBeGreaterThanOrEqual(LIMIT);
  expect(refused.status).toBe(429);
  for (const address of ["192.0.2.9", "203.0.113.0", "198.51.100.1"])
    expect((await attempt(address, workspace.authorization)).status).toBe(200);
});
