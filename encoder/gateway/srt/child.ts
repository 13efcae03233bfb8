/**
 * Child process that runs libsrt for one caller: listens on a loopback port and writes the received bytes to stdout. libav's listener
 * blocks a thread while it waits and cannot be cancelled.
 */
import { IOContext, Log } from "node-av/lib";
import { AV_LOG_QUIET, AVIO_FLAG_READ } from "node-av/constants";

export interface SrtPlan {
  port: number;
  passphrase: string;
}

/** Time limit for the handshake, which the parent has already checked. */
const ACCEPT_MICROSECONDS = 5_000_000;
/** Payload of a typical datagram; `read` waits until the buffer is full. */
const READ_BYTES = 1316;

Log.setLevel(AV_LOG_QUIET);
process.once("message", (plan: SrtPlan) => void receive(plan));

async function receive({ port, passphrase }: SrtPlan): Promise<void> {
  if (!/^[\w.~-]*$/.test(passphrase)) process.exit(2); // libav cannot express others in a URL; Sluice never generates them
  const options = new URLSearchParams({
    mode: "listener",
    listen_timeout: String(ACCEPT_MICROSECONDS),
    enforced_encryption: "1",
  });
  const io = new IOContext();
  const opened = await io.open2(`srt://127.0.0.1:${port}?${options}&passphrase=${passphrase}`, AVIO_FLAG_READ);
  if (opened < 0) process.exit(2);
  for (;;) {
    const bytes = await io.read(READ_BYTES);
    if (typeof bytes === "number" || bytes.length === 0) break;
    process.stdout.write(bytes); // pipe writes are synchronous (Node, "process I/O"); libsrt buffers meanwhile
  }
  await io.closep();
  process.exit(0);
}
