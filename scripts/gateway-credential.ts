/**
 * Prints the credential of an ingest gateway, derived from ENCODER_SECRET, its id and the hosts of its addresses. Nothing is stored.
 *
 *   ENCODER_SECRET=… npm run --silent gateway:credential -- live-1 live-1.example.com
 */
import { GATEWAY_ID, gatewayCredential } from "../protocol/gateway-credential.ts";
import { secretList, UnusableSecret } from "../protocol/secrets.ts";
import { UsageError } from "../sdk/cli/terminal/usage-error.ts";
import { runScript } from "./command/script.ts";

const MOST_HOSTS = 8;

const GATEWAY = {
  name: "gateway:credential",
  usage: `ENCODER_SECRET=… npm run --silent gateway:credential -- ID HOST [HOST…]
  ID    1 to 64 letters, digits, - and _
  HOST  where broadcasters reach it; another one, if the Worker reaches HTTP_URL there`,
  options: {},
};

const isHost = (text: string) => URL.canParse(`rtmp://${text}`) && new URL(`rtmp://${text}`).hostname === text;

await runScript(GATEWAY, (_, [gatewayId = "", ...hosts]) => {
  if (!GATEWAY_ID.test(gatewayId)) throw new UsageError(`"${gatewayId}" is not the ID of a gateway.`);
  if (hosts.length === 0) throw new UsageError("A host is missing.");
  if (hosts.length > MOST_HOSTS) throw new UsageError(`A gateway has at most ${MOST_HOSTS} hosts.`);
  const wrong = hosts.find((host) => !isHost(host));
  if (wrong !== undefined) throw new UsageError(`"${wrong}" is not a host.`);
  try {
    console.log(gatewayCredential(secretList("ENCODER_SECRET", process.env["ENCODER_SECRET"])[0], gatewayId, hosts));
  } catch (error) {
    if (!(error instanceof UnusableSecret)) throw error;
    throw new UsageError(`${error.message}.`, { cause: error });
  }
});
