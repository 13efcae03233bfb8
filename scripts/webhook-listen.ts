/** `npm run webhook:listen`: the same as `npx sluice webhooks listen`. */
import { main } from "../sdk/cli/main.ts";

process.exit(await main(["webhooks", "listen", ...process.argv.slice(2)]));
