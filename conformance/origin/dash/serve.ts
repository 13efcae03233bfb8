/** `node conformance/origin/dash/serve.ts`: a presentation to try `npm run check:dash` with. */
import { parseArgs } from "node:util";
import { DASH_FAULTS, type DashFault } from "./faults.ts";
import { startDashOrigin } from "./origin.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8898" },
    fault: { type: "string" },
    live: { type: "boolean", default: false },
  },
});
const { fault, port, live } = values;
if (fault !== undefined && !(fault in DASH_FAULTS)) {
  console.error(`Unknown fault "${fault}". The faults are: ${Object.keys(DASH_FAULTS).join(", ")}.`);
  process.exit(2);
}
const options = { port: Number(port), ...(live ? { isLive: true } : {}) };
const { url } = await startDashOrigin((fault ?? null) as DashFault | null, options);
console.log(`${url}  ${fault === undefined ? "conforms to all rules" : DASH_FAULTS[fault as DashFault]}`);
