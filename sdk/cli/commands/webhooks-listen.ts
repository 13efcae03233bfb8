import { CREDENTIALS_HELP, openSession } from "../session/open-session.ts";
import { defineCommand } from "../terminal/command.ts";
import { flag, integer, text, type Values } from "../terminal/command-line.ts";
import { interruptSignal } from "../terminal/interrupt.ts";
import { createReporter } from "../terminal/reporter.ts";
import { CommandError, UsageError } from "../terminal/usage-error.ts";
import { toLines, toMoment } from "../webhooks/arrival-format.ts";
import { type Arrival, type Receiver, startReceiver } from "../webhooks/receiver.ts";
import { register, type Registration } from "../webhooks/registration.ts";

const ABOUT = `Receives webhooks on this machine, verifies Service-Signature and the signature of Standard Webhooks, drops repeated
event ids, and shows each event. Answers 200, 401 for an invalid signature, or 400 for a body that is not an event.`;

const OPTIONS = {
  register: flag(`creates a webhook for this receiver, and deletes it on Ctrl-C. For a platform on this machine,
which must run with ALLOW_PRIVATE_NETWORK=true npm start (npm run demo sets it)`),
  secret: text(
    "BASE64",
    `the webhook's signing secret; during a rotation both secrets, separated by a comma.
The default is WEBHOOK_SECRET. Without a secret, nothing is verified`,
  ),
  events: text("KINDS", "with --register: kinds or prefixes, separated by commas, such as asset.*; default: all"),
  port: integer("N", [0, 65_535], "port on 127.0.0.1", 8799),
  json: flag("prints one JSON object per line"),
  verbose: flag("prints each event in full"),
};

/** Base64 of 32 bytes. */
const SECRET = /^[A-Za-z0-9+/]{43}=?$/;

/** @throws {UsageError} */
function checkOptions(values: Values<typeof OPTIONS>) {
  const fromEnvironment = process.env["WEBHOOK_SECRET"] ?? "";
  const { secret: givenSecret = fromEnvironment, events = "" } = values;
  const secrets = givenSecret.split(",").filter((secret) => secret !== "");
  if (!secrets.every((secret) => SECRET.test(secret)))
    throw new UsageError(
      "--secret is not a webhook's secret: it is Base64 of 32 bytes. Give it exactly as the API returned it.",
    );
  if (values.register && givenSecret !== fromEnvironment)
    throw new UsageError("--register creates a new secret; omit --secret.");
  const eventTypes = events.split(",").filter((type) => type !== "");
  return { ...values, secrets, eventTypes };
}
type Checked = ReturnType<typeof checkOptions>;

async function run(values: Values<typeof OPTIONS>): Promise<number> {
  const options = checkOptions(values);
  const { say } = createReporter(options.json);
  const show = (arrival: Arrival) =>
    console.log(options.json ? JSON.stringify(toMoment(arrival, options.verbose)) : toLines(arrival, options.verbose));
  const interrupted = interruptSignal();
  let setSecrets: (secrets: readonly string[]) => void = () => undefined;
  const madeSecrets = new Promise<readonly string[]>((done) => (setSecrets = done));
  const given = options.secrets.length > 0 ? Promise.resolve(options.secrets) : null;
  const secrets = options.register ? madeSecrets : given;
  const receiver = await listen(options.port, secrets, show);
  const webhook = options.register ? await makeWebhook(options, receiver) : null;
  const { url } = receiver;
  say({ kind: "listening", url, verifies: secrets !== null }, (screen) => {
    screen.title(`Webhooks · ${url}`);
    screen.text(secretNote(options));
  });
  if (webhook !== null) {
    setSecrets([webhook.secret]);
    const { webhookId } = webhook;
    say({ kind: "registered", webhookId }, (screen) => screen.text(`Webhook ${webhookId}. Ctrl-C deletes it.`));
  }
  await new Promise((done) => {
    if (interrupted.aborted) done(null);
    interrupted.addEventListener("abort", done);
  });
  if (webhook !== null) {
    const isRemoved = await webhook.remove();
    const text = isRemoved ? "The webhook was deleted." : "The platform does not answer; the webhook remains.";
    say({ kind: "removed", webhookId: webhook.webhookId, isRemoved }, (screen) => screen.text(text));
  }
  await receiver.close();
  return 0;
}

/** @throws {CommandError} when the port cannot be used */
async function listen(port: number, secrets: Promise<readonly string[]> | null, onArrival: (arrival: Arrival) => void) {
  try {
    return await startReceiver({ port, secrets, onArrival });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new CommandError(`Port ${port} is taken. Stop the program using it, or choose another port with --port.`);
    if (code === "EACCES")
      throw new CommandError("Listening on this port is not permitted. Choose a port above 1024 with --port.");
    throw error;
  }
}

function secretNote({ register, secrets }: Checked): string {
  if (register) return "Each signature is verified with the secret of the new webhook.";
  if (secrets.length > 0) return "Each signature is verified.";
  return "NOTHING IS VERIFIED, because there is no --secret. Anyone who can reach this port can forge events.";
}

async function makeWebhook({ eventTypes }: Checked, receiver: Receiver): Promise<Registration> {
  try {
    const description = `sluice webhooks listen on port ${new URL(receiver.url).port}`;
    const filter = eventTypes.length === 0 ? {} : { eventTypes };
    return await register(await openSession(), { url: receiver.url, description, ...filter });
  } catch (error) {
    await receiver.close();
    throw error;
  }
}

export const webhooksListen = defineCommand({
  name: "webhooks listen",
  summary: "receives, verifies and shows webhooks on this machine",
  about: ABOUT,
  options: OPTIONS,
  notes: CREDENTIALS_HELP,
  run,
});
