import { cloudflareStreamSource } from "../../../src/imports/sources/cloudflare-stream.ts";
import {
  CLOUDFLARE_ACCOUNT,
  CLOUDFLARE_READ_TOKEN,
  CLOUDFLARE_TOKEN,
  startCloudflareStandIn,
} from "../../support/imports/cloudflare-stream-stand-in.ts";
import { describeSource } from "./suite.ts";

const WRONG = "sEcReT-wrong-token-0000000000000000000004";
const ofToken = (apiToken: string) => ({ apiToken, accountId: CLOUDFLARE_ACCOUNT });

describeSource("Cloudflare Stream", {
  definition: cloudflareStreamSource,
  options: {},
  makeStandIn: startCloudflareStandIn,
  good: ofToken(CLOUDFLARE_TOKEN),
  wrong: ofToken(WRONG),
  half: { credentials: ofToken(CLOUDFLARE_READ_TOKEN), permission: /^Stream Write$/, isRequired: false },
  secrets: [CLOUDFLARE_TOKEN, CLOUDFLARE_READ_TOKEN, WRONG],
  listCall: /^GET .*\/stream$/,
  resolveCall: /^POST .*\/downloads$/,
  necessaryField: "requireSignedURLs",
  keeps: ["title", "createdAt", "durationMs", "dimensions", "creatorId"],
  policies: ["public", "private"],
  waits: true,
  hasCaptions: true,
});
