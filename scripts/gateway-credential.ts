/**
 * Prints the credential of an ingest gateway, derived from ENCODER_SECRET, its id and the hosts of its addresses. Nothing is stored.
 *
 *   ENCODER_SECRET=… npm run --silent gateway:credential -- live-1 live-1.example.com
 */
import { GATEWAY_ID, gatewayCredential } from "../protocol/gateway-credential.ts";
import { secretList, UnusableSecret } from "../protocol/secrets.ts";

const USAGE = `ENCODER_SECRET=… npm run --silent gateway:credential -- ID HOST [HOST…]
  ID    1 to 64 letters, digits, - and _
  HOST  where broadcasters reach it; another one, if the Worker reaches HTTP_URL there`;
const [gatewayId = "", ...hosts] = process.argv.slice(2);
const isHost = (text: string) => URL.canParse(`rtmp://${text}`) && new URL(`rtmp://${text}`).hostname === text;
if (!GATEWAY_ID.test(gatewayId) || hosts.length === 0 || hosts.length > 8 || !hosts.every(isHost)) {
  console.error(USAGE);
  process.exit(2);
}
try {
  console.log(gatewayCredential(secretList("ENCODER_SECRET", process.env["ENCODER_SECRET"])[0], gatewayId, hosts));
} catch (error) {
  if (!(error instanceof UnusableSecret)) throw error;
  console.error(`${error.message}.\n${USAGE}`);
  process.exit(2);
}
