/** `npm run webhook:listen`: a webhook receiver for development, which verifies and shows deliveries. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Screen } from "./demo/screen.ts";
import { type Arrival, type Receiver, startReceiver } from "./webhooks/receiver.ts";
import { findLocalApi, register, RegistrationError } from "./webhooks/registration.ts";
import { toLines, toMoment } from "./webhooks/arrival-format.ts";

const HELP = `npm run webhook:listen [-- --register | --secret <base64>] [--port 8799] [--json] [--verbose]

Receives webhooks on this machine, verifies Service-Signature and the signature of Standard Webhooks, drops repeated
event ids, and shows each event. Answers 200, 401 for an invalid signature, or 400 for a body that is not an event.

  --register   creates a webhook for this receiver on the local platform, and deletes it on Ctrl-C.
               The platform must run with ALLOW_PRIVATE_NETWORK=true npm start (npm run demo sets it)
  --secret     the webhook's signing secret; during a rotation both secrets, separated by a comma.
               The default is WEBHOOK_SECRET. Without a secret, nothing is verified
  --events     with --register: kinds or prefixes, separated by commas, such as asset.*; default: all
  --port       port on 127.0.0.1 (8799)
  --json       prints one JSON object per line
  --verbose    prints each event in full

SLUICE_HOME is the folder of the running platform, for --register (.sluice).`;

class UsageError extends Error {}

function readOptions() {
  const { values } = parseArgs({
    options: {
      register: { type: "boolean", default: false },
      secret: { type: "string", default: process.env.WEBHOOK_SECRET ?? "" },
      events: { type: "string", default: "" },
      port: { type: "string", default: "8799" },
      json: { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new UsageError(`--port is "${values.port}"; it must be a port number, or 0 for any free port.`);
  const secrets = values.secret.split(",").filter((secret) => secret !== "");
  if (!secrets.every((secret) => /^[A-Za-z0-9+/]{4,}={0,2}$/.test(secret)))
    throw new UsageError("--secret is not Base64. Give the secret exactly as the API returned it.");
  if (values.register && values.secret !== (process.env.WEBHOOK_SECRET ?? ""))
    throw new UsageError("--register creates a new secret; omit --secret.");
  const eventTypes = values.events.split(",").filter((type) => type !== "");
  return { ...values, port, secrets, eventTypes };
}
type Options = ReturnType<typeof readOptions>;

/** Prints as JSON or as text. */
function createReporter({ json, verbose }: Options) {
  const screen = new Screen();
  return {
    arrival: (arrival: Arrival) =>
      console.log(json ? JSON.stringify(toMoment(arrival, verbose)) : toLines(arrival, verbose)),
    title: (text: string) => json || screen.title(text),
    note: (moment: object, text: string) => (json ? console.log(JSON.stringify(moment)) : screen.text(text)),
  };
}

async function listen(options: Options): Promise<void> {
  const reporter = createReporter(options);
  const { promise: madeSecrets, resolve: setSecrets } = Promise.withResolvers<readonly string[]>();
  const given = options.secrets.length > 0 ? Promise.resolve(options.secrets) : null;
  const secrets = options.register ? madeSecrets : given;
  const receiver = await startReceiver({ port: options.port, secrets, onArrival: reporter.arrival });
  const { url } = receiver;
  reporter.title(`Webhooks · ${url}`);
  reporter.note({ kind: "listening", url, verifies: secrets !== null }, secretNote(options));
  let remove = async () => {};
  if (options.register) {
    const webhook = await makeWebhook(options, receiver);
    setSecrets([webhook.secret]);
    reporter.note(
      { kind: "registered", webhookId: webhook.webhookId },
      `Webhook ${webhook.webhookId}. Ctrl-C deletes it.`,
    );
    remove = async () => {
      const isRemoved = await webhook.remove();
      const text = isRemoved ? "The webhook was deleted." : "The platform does not answer; the webhook remains.";
      reporter.note({ kind: "removed", webhookId: webhook.webhookId, isRemoved }, text);
    };
  }
  let isStopping = false;
  const stop = () => {
    if (isStopping) return; // a terminal and npm may both forward a Ctrl-C
    isStopping = true;
    void remove().finally(() => process.exit(0));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
}

function secretNote({ register, secrets }: Options): string {
  if (register) return "Each signature is verified with the secret of the new webhook.";
  if (secrets.length > 0) return "Each signature is verified.";
  return "NOTHING IS VERIFIED, because there is no --secret. Anyone who can reach this port can forge events.";
}

async function makeWebhook({ eventTypes }: Options, receiver: Receiver) {
  try {
    const api = await findLocalApi(resolve(process.env.SLUICE_HOME || ".sluice"));
    const description = `npm run webhook:listen on port ${new URL(receiver.url).port}`;
    const filter = eventTypes.length === 0 ? {} : { eventTypes };
    return await register(api, { url: receiver.url, description, ...filter });
  } catch (error) {
    await receiver.close();
    throw error;
  }
}

/** Null when the user cannot fix the error. */
function inWords(error: unknown): string | null {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof RegistrationError || error instanceof UsageError) return message;
  if (code === "EADDRINUSE") return "The port is taken. Stop the program using it, or choose another port with --port.";
  if (code === "EACCES") return "Listening on this port is not permitted. Choose a port above 1024 with --port.";
  return code?.startsWith("ERR_PARSE_ARGS") ? `${message}\n\n${HELP}` : null;
}

try {
  const options = readOptions();
  if (options.help) console.log(HELP);
  else await listen(options);
} catch (error) {
  const words = inWords(error);
  if (words === null) throw error;
  console.error(words);
  process.exit(1);
}
