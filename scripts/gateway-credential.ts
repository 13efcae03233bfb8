/**
 * Prints the credential of an ingest gateway, which is made from its id and ENCODER_SECRET; nothing is stored.
 *
 *   ENCODER_SECRET=… npm run --silent gateway:credential -- live-1
 */
import { GATEWAY_ID, gatewayCredential } from "../encoder/gateway-credential.ts";
import { secretList, UnusableSecret } from "../encoder/secrets.ts";

const USAGE = "ENCODER_SECRET=… npm run --silent gateway:credential -- ID   (ID: 1 to 64 letters, digits, - and _)";
const [gatewayId = "", ...rest] = process.argv.slice(2);
if (!GATEWAY_ID.test(gatewayId) || rest.length > 0) {
  console.error(USAGE);
  process.exit(2);
}
try {
  console.log(gatewayCredential(secretList("ENCODER_SECRET", process.env["ENCODER_SECRET"])[0], gatewayId));
} catch (error) {
  if (!(error instanceof UnusableSecret)) throw error;
  console.error(`${error.message}.\n${USAGE}`);
  process.exit(2);
}
