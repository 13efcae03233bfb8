/**
 * libsrt for one caller, in a process of its own: it listens on a loopback port and writes what it receives to stdout. libav's listener
 * holds a thread while it waits, and cannot be told to stop.
 */
import { IOContext, Log } from "node-av";
import { AV_LOG_QUIET, AVIO_FLAG_READ } from "node-av/constants";
import { endWithParent } from "../../orphan.ts";

export interface SrtPlan {
  port: number;
  passphrase: string;
}

/** For the handshake, which the front has checked before. */
const ACCEPT_MICROSECONDS = 5_000_000;
/** What encoders put into a datagram; `read` waits until it is full. */
const READ_BYTES = 1316;

Log.setLevel(AV_LOG_QUIET);
endWithParent();
process.once("message", (plan: SrtPlan) => void receive(plan));

async function receive({ port, passphrase }: SrtPlan): Promise<void> {
  if (!/^[\w.~-]*$/.test(passphrase)) process.exit(2); // libav has no way to write others in a URL; Sluice makes none
  const words = new URLSearchParams({
    mode: "listener",
    listen_timeout: String(ACCEPT_MICROSECONDS),
    enforced_encryption: "1",
  });
  const io = new IOContext();
  const opened = await io.open2(`srt://127.0.0.1:${port}?${words}&passphrase=${passphrase}`, AVIO_FLAG_READ);
  if (opened < 0) process.exit(2);
  for (;;) {
    const bytes = await io.read(READ_BYTES);
    if (typeof bytes === "number" || bytes.length === 0) break;
    process.stdout.write(bytes); // a pipe: waits for room (Node, "process I/O"), and libsrt keeps what comes meanwhile
  }
  await io.closep();
  process.exit(0);
}
