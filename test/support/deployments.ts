import { spawn } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Account, EMPTY_ACCOUNT } from "./wrangler-stand-in.ts";

/** A repository in a temporary folder and an account of the stand-in of wrangler. */
export interface TestDeployment {
  root: string;
  /** Runs a script of the repository there. */
  run(script: string, args: string[], env?: Record<string, string>): Promise<{ code: number | null; output: string }>;
  account(): Promise<Account>;
  /** The commands given to wrangler since the last call. */
  commands(): Promise<string[]>;
  /** Rows of the account's only database. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
  /** Changes the account's only database, as the Worker does. */
  execute(sql: string): Promise<void>;
  /** Sets a secret of a Worker, as `wrangler secret put` does; null deletes it. */
  setSecret(worker: string, name: string, value: string | null): Promise<void>;
  remove(): Promise<void>;
}

export async function newDeployment(before: Partial<Account> = {}): Promise<TestDeployment> {
  const root = await newFolder();
  const [state, bin] = [join(root, ".state"), join(root, ".bin")];
  await mkdir(state);
  await mkdir(bin);
  await cp("wrangler.toml", join(root, "wrangler.toml"));
  await symlink(resolve("migrations"), join(root, "migrations"));
  await writeFile(join(state, "account.json"), JSON.stringify({ ...EMPTY_ACCOUNT, ...before }));
  const wrangler = join(bin, "wrangler");
  await writeFile(
    wrangler,
    `#!/bin/sh\nexec "${process.execPath}" "${resolve("test/support/wrangler-stand-in.ts")}" "$@"\n`,
  );
  await chmod(wrangler, 0o700);
  return deploymentIn(root);
}

/** A repository and an account that are as those of another one. To deploy takes a dozen processes. */
export async function copyOf(deployment: TestDeployment): Promise<TestDeployment> {
  const root = await newFolder();
  await cp(deployment.root, root, { recursive: true, verbatimSymlinks: true });
  return deploymentIn(root);
}

const newFolder = () => mkdtemp(join(tmpdir(), "sluice-deploy-"));

function deploymentIn(root: string): TestDeployment {
  const [state, bin] = [join(root, ".state"), join(root, ".bin")];
  const log = join(state, "commands.log");
  const account = async () => JSON.parse(await readFile(join(state, "account.json"), "utf8")) as Account;
  return {
    root,
    account,
    async run(script, args, env = {}) {
      const child = spawn(process.execPath, [resolve("scripts", script), ...args], {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...process.env,
          NODE_COMPILE_CACHE: resolve("dist/compiled"),
          PATH: `${bin}${delimiter}${process.env["PATH"]}`,
          STAND_IN_STATE: state,
          WRANGLER_DOCKER_BIN: "true", // Docker runs
          ...env,
        },
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
      const code = await new Promise<number | null>((done) => child.once("close", done));
      return { code, output };
    },
    async commands() {
      const text = await readFile(log, "utf8").catch(() => "");
      await rm(log, { force: true });
      return text.split("\n").filter(Boolean);
    },
    async rows(sql) {
      const [database] = (await account()).databases;
      return new DatabaseSync(join(state, `${database?.uuid}.sqlite`)).prepare(sql).all();
    },
    async execute(sql) {
      const [database] = (await account()).databases;
      new DatabaseSync(join(state, `${database?.uuid}.sqlite`)).exec(sql);
    },
    async setSecret(worker, name, value) {
      const now = await account();
      const { secrets } = now.workers[worker]!;
      if (value === null) delete secrets[name];
      else secrets[name] = value;
      await writeFile(join(state, "account.json"), JSON.stringify(now));
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
