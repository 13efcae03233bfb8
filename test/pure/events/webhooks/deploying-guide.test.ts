import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, test } from "vitest";
import {
  isSealedWithCurrent,
  newSecret,
  openSecret,
  sealSecret,
} from "../../../../src/events/webhooks/records/secrets.ts";
import { codeBlocks } from "../../../support/guide-blocks.ts";

const GUIDE = "docs/guides/deploying.md";
const WEBHOOK_ID = "2c95e7a0-d64b-4f38-a17c-83f5b0e2d94c";

/** Runs the guide's commands in a shell whose `npx` only prints its arguments, so that nothing is deployed. */
function runGuide(): { keys: string[]; counting: string } {
  const blocks = codeBlocks(GUIDE).filter(({ heading }) => ["3. Secrets", "Another webhook key"].includes(heading));
  const folder = mkdtempSync(join(tmpdir(), "sluice-secrets-"));
  copyFileSync("wrangler.toml", join(folder, "wrangler.toml")); // `npm run` starts commands where it is
  const show = `node -p 'const s = require(process.cwd() + "/secrets.json"); "WEBHOOK_KEYS=" + s.WEBHOOK_KEYS'`;
  const npm = `npm() { shift 3; node "${resolve("scripts/secrets.ts")}" "$@"; ${show}; }`;
  const npx = `npx() { if [ "$2" = secret ]; then [ "$4" = secrets.json ]; else echo "SQL=\${@: -1}"; fi; }`;
  const script = [npm, npx, ...blocks.map(({ code }) => code)].join("\n");
  const options = { encoding: "utf8", cwd: folder } as const;
  const lines = execFileSync("bash", ["-euo", "pipefail", "-c", script], options).split("\n");
  rmSync(folder, { recursive: true });
  const valuesOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  return { keys: valuesOf("WEBHOOK_KEYS"), counting: valuesOf("SQL")[0] ?? "" };
}

describe("the rotation of the webhook key in the deploying guide", () => {
  let keys: string[];
  let counting: string;
  beforeAll(() => {
    ({ keys, counting } = runGuide());
  });

  test("goes from the old key to both to the new one, and every secret stays readable", async () => {
    expect(keys).toHaveLength(3);
    const [first, both, last] = keys as [string, string, string];
    const secret = newSecret();
    const sealed = await sealSecret(first, WEBHOOK_ID, secret);
    expect(await openSecret(both, WEBHOOK_ID, sealed)).toBe(secret);
    expect(isSealedWithCurrent(both, sealed)).toBe(false);
    const sealedAgain = await sealSecret(both, WEBHOOK_ID, await openSecret(both, WEBHOOK_ID, sealed));
    expect(isSealedWithCurrent(last, sealedAgain)).toBe(true);
    expect(await openSecret(last, WEBHOOK_ID, sealedAgain)).toBe(secret);
    await expect(openSecret(last, WEBHOOK_ID, sealed)).rejects.toThrow("not configured");
  });

  test("counts the webhooks that are sealed with the old key, including previous secrets", () => {
    const db = new DatabaseSync(":memory:");
    for (const name of readdirSync("migrations")
      .filter((file) => file.endsWith(".sql"))
      .sort())
      db.exec(readFileSync(`migrations/${name}`, "utf8").replaceAll("--> statement-breakpoint", ""));
    const put = (id: string, secret: string, previous: string | null) =>
      db
        .prepare(
          `INSERT INTO webhooks (id, workspace_id, url, event_types, naming, enabled, secret, previous_secret, created_at, updated_at)
           VALUES (?, 'w', 'https://app.example.com', '[]', 'service', 1, ?, ?, 0, 0)`,
        )
        .run(id, secret, previous);
    put("new", "k2.a.b", null);
    put("new, rotated", "k2.a.b", "k2.c.d");
    expect(Object.values(db.prepare(counting).get() ?? {})).toEqual([0]);
    put("old", "k1.a.b", null);
    put("new, rotated before", "k2.a.b", "k1.c.d");
    expect(Object.values(db.prepare(counting).get() ?? {})).toEqual([2]);
  });
});
