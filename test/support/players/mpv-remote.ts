/** mpv's JSON IPC: https://mpv.io/manual/stable/#json-ipc */
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { eventually } from "../live-watch.ts";

export interface MpvRemote {
  /** Null while the property has no value. */
  get(property: string): Promise<unknown>;
  /** @throws mpv's error */
  command(...words: (string | number)[]): Promise<void>;
  close(): void;
}

interface Reply {
  request_id?: number;
  error?: string;
  data?: unknown;
}

export async function remoteOf(socketPath: string): Promise<MpvRemote> {
  const socket = await eventually("mpv's socket", () => connect(socketPath));
  const waiting = new Map<number, (reply: Reply) => void>();
  createInterface({ input: socket }).on("line", (line) => {
    const reply = JSON.parse(line) as Reply;
    if (reply.request_id !== undefined) waiting.get(reply.request_id)?.(reply);
  });
  let requests = 0;
  const send = (...command: (string | number)[]) => {
    const id = (requests += 1);
    return new Promise<Reply>((done) => {
      waiting.set(id, done);
      socket.write(`${JSON.stringify({ command, request_id: id })}\n`);
    });
  };
  return {
    async get(property) {
      const { error, data } = await send("get_property", property);
      return error === "success" ? data : null;
    },
    async command(...words) {
      const { error } = await send(...words);
      if (error !== "success") throw new Error(`mpv: ${words.join(" ")}: ${error}`);
    },
    close: () => socket.destroy(),
  };
}

const connect = (path: string) =>
  new Promise<Socket>((done, failed) => {
    const socket = createConnection(path, () => done(socket));
    socket.once("error", failed);
  });
