/**
 * Manages a deployment's secrets in a file with mode 0600, which wrangler uploads (docs/guides/deploying.md).
 *
 *   npm run secrets -- new             creates all of them; refuses to overwrite a file
 *   npm run secrets -- rotate NAME     adds a new secret before the old one: both are valid
 *   npm run secrets -- finish NAME     removes the old one
 *   --file PATH                        secrets.json
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const NAMES = ["JOB_SECRET", "ENCODER_SECRET", "WEBHOOK_KEYS"] as const;
type Name = (typeof NAMES)[number];
type Secrets = Record<Name, string>;

const USAGE = `npm run secrets -- new | rotate NAME | finish NAME  [--file secrets.json]   (NAME: ${NAMES.join(", ")})`;
const random = () => randomBytes(32).toString("base64");
/** Sealing keys have ids: sealed text contains the id of its key. */
const fresh = (name: Name, old: string[]): string =>
  name === "WEBHOOK_KEYS" ? `k${1 + Math.max(0, ...old.map(keyNumber))}:${random()}` : random();
const keyNumber = (key: string) => Number(/^k(\d+):/.exec(key)?.[1] ?? 0);

function refuse(words: string): never {
  console.error(`${words}\n${USAGE}`);
  process.exit(2);
}

function save(file: string, secrets: Secrets): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, file);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { file: { type: "string", default: "secrets.json" } },
});
const [verb, name] = positionals;
const { file } = values;

if (verb === "new") {
  if (existsSync(file)) refuse(`${file} is there already; a deployment that uses it would lose its secrets.`);
  save(file, Object.fromEntries(NAMES.map((one) => [one, fresh(one, [])])) as Secrets);
  console.log(`${file} has ${NAMES.join(", ")}. Keep a copy in a safe place: Cloudflare gives no secret back.`);
} else if (verb === "rotate" || verb === "finish") {
  const chosen = NAMES.find((one) => one === name) ?? refuse(`Which secret?`);
  if (!existsSync(file)) refuse(`There is no ${file}.`);
  const secrets = JSON.parse(readFileSync(file, "utf8")) as Secrets;
  const list = secrets[chosen].split(",");
  if (verb === "rotate" && list.length > 1) refuse(`${chosen} is being rotated already: finish that first.`);
  if (verb === "finish" && list.length === 1) refuse(`${chosen} is not being rotated.`);
  save(file, { ...secrets, [chosen]: verb === "rotate" ? [fresh(chosen, list), ...list].join(",") : list[0]! });
  console.log(`Now upload it: npx wrangler secret bulk ${file}`);
} else refuse("What is to be done?");
