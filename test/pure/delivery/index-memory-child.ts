/** Reads the index of the source at argv[3] as the Worker does, after a small one at argv[2], and prints what that took. */
import { readFileSync, writeFileSync } from "node:fs";
import { indexSource } from "../../../src/delivery/passthrough/index.ts";
import { openHttpSource } from "../../../src/sources/http-range-reader.ts";

const env = { ALLOW_PRIVATE_NETWORK: "true", MAX_SOURCE_BYTES: String(2 ** 50) };
const kibibytes = (field: string) =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;

async function index(url = "") {
  const source = await indexSource(await openHttpSource(env, url));
  if (!source.standard) throw new Error(source.reason);
  return source.indexes.reduce((sum, { pieces }) => sum + pieces.reduce((all, { length }) => all + length, 0), 0);
}

for (let n = 0; n < 20; n++) await index(process.argv[2]);
globalThis.gc!();
writeFileSync("/proc/self/clear_refs", "5"); // the peak counts from here
const before = kibibytes("VmRSS");
const indexBytes = await index(process.argv[3]);
console.log(JSON.stringify({ peakBytes: kibibytes("VmHWM") - before, indexBytes }));
