/** `npm run webhook:listen`: the same as `npx sluice webhooks listen`. */
import { main } from "../sdk/cli/main.ts";
import { stopWithNpm } from "./local/stop-with-npm.ts";

stopWithNpm(); // a registered webhook is deleted at the end

process.exit(await main(["webhooks", "listen", ...process.argv.slice(2)]));
