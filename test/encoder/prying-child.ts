/** Attempts what a compromised media process could do, and reports the results to its parent. */
import { execFileSync } from "node:child_process";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const tried = (act: () => unknown) => {
  try {
    act();
    return "done";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "failed";
  }
};
const status = readFileSync("/proc/self/status", "utf8");
const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(status)?.[1];

const found = {
  environment: Object.keys(process.env).filter(
    (name) => !["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE"].includes(name),
  ),
  uid: process.getuid!(),
  gid: process.getgid!(),
  groups: process.getgroups!(),
  capabilities: field("CapEff"),
  noNewPrivileges: field("NoNewPrivs"),
  parentEnvironment: tried(() => readFileSync(`/proc/${process.ppid}/environ`)),
  parentMemory: tried(() => openSync(`/proc/${process.ppid}/mem`, "r")),
  ownCode: tried(() => writeFileSync(import.meta.filename, "", { flag: "r+" })),
  compiledCode: tried(() => writeFileSync(join(process.env["NODE_COMPILE_CACHE"]!, "changed"), "")),
  becomingRoot: tried(() => process.setuid!(0)),
  passwords: tried(() => execFileSync("cat", ["/etc/shadow"], { stdio: "ignore" })),
};
process.send!(found, () => process.exit());
