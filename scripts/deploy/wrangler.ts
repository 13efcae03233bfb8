import { spawn } from "node:child_process";
import { DeployError } from "./settings.ts";

/** Variables for the command, in addition to those of this process. */
type Variables = Record<string, string>;

export interface Answer {
  ok: boolean;
  /** Standard output only: with `--json` it is one JSON value. */
  stdout: string;
  /** Both outputs, for messages. */
  output: string;
}

/** wrangler's command line, from the PATH, where npm scripts find this repository's version. */
export class Wrangler {
  private readonly env: NodeJS.ProcessEnv;

  /** @param accountId of the account to use; unset = the only one, or CLOUDFLARE_ACCOUNT_ID */
  constructor(accountId?: string) {
    this.env = {
      ...process.env,
      CI: "true", // answers wrangler's questions: this command has already asked
      WRANGLER_LOG: "log", // a quieter level of the environment would suppress the JSON, too
      WRANGLER_SEND_METRICS: process.env["WRANGLER_SEND_METRICS"] ?? "false",
      ...(accountId === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: accountId }),
    };
  }

  /** @param show its output goes to the terminal too */
  async run(args: string[], { show = false, env = {} }: { show?: boolean; env?: Variables } = {}): Promise<Answer> {
    const child = spawn("wrangler", args, { stdio: ["ignore", "pipe", "pipe"], env: { ...this.env, ...env } });
    let [stdout, output] = ["", ""];
    child.stdout.on("data", (chunk) => {
      stdout += String(chunk);
      output += String(chunk);
      if (show) process.stdout.write(String(chunk));
    });
    child.stderr.on("data", (chunk) => {
      output += String(chunk);
      if (show) process.stderr.write(String(chunk));
    });
    const code = await new Promise<number | null>((done, failed) => {
      child.once("error", (error) =>
        failed(new DeployError(`wrangler cannot be started: ${error.message}. Run npm ci first.`)),
      );
      child.once("close", done);
    });
    return { ok: code === 0, stdout, output };
  }

  /** @throws {DeployError} with wrangler's message */
  async need(args: string[], options: { show?: boolean; env?: Variables } = {}): Promise<Answer> {
    const answer = await this.run(args, options);
    if (answer.ok) return answer;
    throw new DeployError(`wrangler ${args.slice(0, 3).join(" ")} failed:\n\n${answer.output.trim()}`);
  }

  /** @throws {DeployError} also when the output is not JSON */
  async json<T>(args: string[]): Promise<T> {
    const { stdout } = await this.need(args);
    try {
      return JSON.parse(stdout) as T;
    } catch {
      throw new DeployError(`wrangler ${args.join(" ")} printed no JSON:\n\n${stdout.trim()}`);
    }
  }
}
