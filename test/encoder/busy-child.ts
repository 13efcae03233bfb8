/** A media process whose native call never returns, and which ends by itself just after its parent. */
import { pbkdf2 } from "node:crypto";

const MOST_ITERATIONS = 2 ** 31 - 1;
const parentPid = process.ppid;
process.once("message", () => {
  pbkdf2("password", "salt", MOST_ITERATIONS, 64, "sha512", () => {});
  while (process.ppid === parentPid); // `disconnect` cannot be handled meanwhile
  process.send!("last", () => process.exit(0));
});
