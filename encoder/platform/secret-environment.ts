/**
 * Removes secrets from the environment, where processes that read hostile media could find them: /proc exposes a process's initial
 * environment to every process of the same user, even after deletion. The service therefore replaces itself by an instance without them
 * (`process.execve`: same process, same output) and passes them in a file that is deleted before the first child starts.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { logWarning } from "../../protocol/log.ts";

const HANDED_OVER = "SLUICE_SECRETS_FILE";

type Secrets = Record<string, string>;

/**
 * Reads secrets from the environment, or from the file named by `{name}_FILE` ("-" = standard input), and removes them. Must be called
 * first, because it may restart the process.
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
  if (Object.keys(fromEnvironment).length > 0) restart({ ...fromEnvironment, ...fromFiles }, environment);
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

/** Does not return on systems that support it. */
function restart(secrets: Secrets, environment: NodeJS.ProcessEnv): void {
  const warnReadable = (reason: string) => logWarning("service.secrets_readable_in_proc", { reason });
  if (process.execve === undefined) return warnReadable("no execve");
  if (process.connected) return warnReadable("IPC channel"); // the channel would not survive; use `{name}_FILE`
  const path = handOver(secrets);
  if (path === null) return warnReadable("no temporary file");
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...environment, [HANDED_OVER]: path });
}

/** @returns null when no file can be written */
function handOver(secrets: Secrets): string | null {
  try {
    const path = join(mkdtempSync(join(tmpdir(), "sluice-")), "secrets.json");
    writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 });
    return path;
  } catch {
    return null;
  }
}
