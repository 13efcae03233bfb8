/** `node conformance/origin/serve.ts`: a live stream to try `npm run check:ll-hls` with. */
import { parseArgs } from "node:util";
import { type Fault, FAULTS } from "./faults.ts";
import { startOrigin } from "./origin.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "8899" }, fault: { type: "string" } } });
const { fault, port } = values;
if (fault !== undefined && !(fault in FAULTS)) {
  console.error(`Unknown fault "${fault}". The faults are: ${Object.keys(FAULTS).join(", ")}.`);
  process.exit(2);
}
const { url } = await startOrigin((fault ?? null) as Fault | null, { port: Number(port) }).catch(
  (error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    console.error(`Port ${port} is taken. Stop the program using it, or choose another port with --port.`);
    process.exit(1);
  },
);
console.log(`${url}  ${fault === undefined ? "conforms to all rules" : FAULTS[fault as Fault]}`);
