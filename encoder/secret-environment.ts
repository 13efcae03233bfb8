/**
 * Secrets of the environment, put out of reach of the processes that read hostile media. /proc shows to every process of the same user which
 * environment a process was started with, whatever it deletes later. So the service starts itself anew without them (`process.execve`: the same
 * process, the same output) and hands them over in a file that is gone before the first child is started.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { logWarning } from "../protocol/log.ts";

const HANDED_OVER = "SLUICE_SECRETS_FILE";

type Secrets = Record<string, string>;

/**
 * Takes secrets out of the environment, or out of the file that `{name}_FILE` names ("-" = standard input). To be called before anything else:
 * the process may begin anew in it.
 */
export function takeSecrets(names: readonly string[], environment = process.env): Secrets {
  const handedOver = environment[HANDED_OVER];
  if (handedOver !== undefined) return readOnce(handedOver);
  const fromFiles = secretsOfFiles(names, environment);
  const fromEnvironment: Secrets = {};
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined) fromEnvironment[name] = value;
    delete environment[name];
  }
  if (Object.keys(fromEnvironment).length > 0) startAnew({ ...fromEnvironment, ...fromFiles }, environment);
  return { ...fromEnvironment, ...fromFiles };
}

function readOnce(path: string): Secrets {
  delete process.env[HANDED_OVER];
  const secrets = JSON.parse(readFileSync(path, "utf8")) as Secrets;
  rmSync(dirname(path), { recursive: true });
  return secrets;
}

function secretsOfFiles(names: readonly string[], environment: NodeJS.ProcessEnv): Secrets {
  const found: Secrets = {};
  for (const name of names) {
    const path = environment[`${name}_FILE`];
    if (path !== undefined) found[name] = readFileSync(path === "-" ? 0 : path, "utf8").trim();
  }
  return found;
}

/** Does not return where the system can do it. */
function startAnew(secrets: Secrets, environment: NodeJS.ProcessEnv): void {
  const staysReadable = (reason: string) => logWarning("service.secrets_readable_in_proc", { reason });
  if (process.execve === undefined) return staysReadable("no execve");
  if (process.connected) return staysReadable("IPC channel"); // it would not survive: use `{name}_FILE`
  const path = handOver(secrets);
  if (path === null) return staysReadable("no temporary file");
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...environment, [HANDED_OVER]: path });
}

/** @returns null where no file can be written */
function handOver(secrets: Secrets): string | null {
  try {
    const path = join(mkdtempSync(join(tmpdir(), "sluice-")), "secrets.json");
    writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 });
    return path;
  } catch {
    return null;
  }
}
