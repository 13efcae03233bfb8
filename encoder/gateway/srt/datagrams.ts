import { logWarning } from "../../../protocol/log.ts";

/** Sends a datagram. A closed socket sends nothing: its caller or its receiver has ended. */
export function sendOrLog(direction: string, send: () => void): void {
  try {
    send();
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code !== "ERR_SOCKET_DGRAM_NOT_RUNNING") logWarning("srt.datagram_not_sent", { direction, how: code ?? name });
  }
}
