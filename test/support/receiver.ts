/**
 * A webhook receiver with configurable behaviour, over raw sockets so that it can also send invalid HTTP. The path of the URL selects the
 * behaviour: see `BEHAVIOURS`. `GET /seen?path=…` returns the requests to a path, so concurrent tests use different paths
 * (`/status/200?of=some-test`). `GET /release?path=…` lets a path answer that holds its requests.
 */
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { untrustedCertificate } from "./untrusted-certificate.ts";

/** The request of one connection. The receiver closes every connection after its answer. */
export interface SeenRequest {
  method: string;
  headers: Record<string, string>;
  bodyBase64: string;
  /** Bytes of the answer written to the socket so far. */
  sentBytes: number;
  /** The client has ended or dropped the connection, or both sides are done. */
  isClosed: boolean;
}

export interface Receiver {
  /** Without a trailing slash. */
  origin: string;
  close(): Promise<void>;
}

interface Exchange {
  url: URL;
  socket: Socket;
  send: (text: string | Uint8Array) => boolean;
}
type Behaviour = (exchange: Exchange) => void;

const OK_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n";
const CHUNK = new Uint8Array(65_536).fill(120);

const BEHAVIOURS: Record<string, Behaviour> = {
  /** /status/<code>: with the query's `body` behind `pad` times an x, and its `header` lines (repeatable, "name: value"). */
  status: ({ url, socket, send }) => {
    const code = url.pathname.split("/")[2];
    const body = Buffer.from(
      "x".repeat(Number(url.searchParams.get("pad") ?? 0)) + (url.searchParams.get("body") ?? ""),
    );
    const lines = url.searchParams.getAll("header").map((line) => `${line}\r\n`);
    const length = code === "204" ? "" : `content-length: ${body.byteLength}\r\n`;
    send(`HTTP/1.1 ${code} Whatever\r\nconnection: close\r\n${length}${lines.join("")}\r\n`);
    send(body);
    socket.end();
  },
  /** /bytes/<n>: 200 with a body of n bytes of known length. */
  bytes: ({ url, socket, send }) => {
    const size = Number(url.pathname.split("/")[2]);
    send(`${OK_HEAD}content-length: ${size}\r\n\r\n`);
    pour(socket, send, size);
  },
  /** 200 with an endless body. */
  torrent: ({ socket, send }) => {
    send(`${OK_HEAD}\r\n`);
    pour(socket, send, Infinity);
  },
  /** 200 with a length of 0, and endless chunks, which count (RFC 9112 §6.3). */
  "torrent-of-length-0": ({ socket, send }) => {
    send(`${OK_HEAD}content-length: 0\r\ntransfer-encoding: chunked\r\n\r\n`);
    const size = CHUNK.byteLength.toString(16);
    pour(socket, send, Infinity, Buffer.concat([Buffer.from(`${size}\r\n`), CHUNK, Buffer.from("\r\n")]));
  },
  /** 404 with the same body. */
  "torrent-404": ({ socket, send }) => {
    send("HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n");
    pour(socket, send, Infinity);
  },
  /** Reads the request and never answers. */
  silence: () => undefined,
  /** Header after header, without an end. */
  "endless-headers": ({ socket, send }) => {
    send("HTTP/1.1 200 OK\r\n");
    trickle(socket, () => send(`x-more: ${Date.now()}\r\n`));
  },
  /** Headers as fast as the client reads them. */
  "header-torrent": ({ socket, send }) => {
    send("HTTP/1.1 200 OK\r\n");
    pour(socket, send, Infinity, new TextEncoder().encode("x-more: again and again\r\n".repeat(2000)));
  },
  /** 200, and then a few bytes from time to time, endlessly. */
  "endless-body": ({ socket, send }) => {
    send(`${OK_HEAD}\r\nhello`);
    trickle(socket, () => send("."));
  },
  /** /held/<code>: answers once the path has been released. */
  held: ({ url, socket, send }) => {
    const hold = holdOf(url.pathname + url.search);
    void hold.promise.then(() => {
      send(`HTTP/1.1 ${url.pathname.split("/")[2]} Whatever\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      socket.end();
    });
  },
  /** Switches to another protocol, and waits. */
  upgrade: ({ send }) => void send("HTTP/1.1 101 Switching\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n"),
  /** 200 and a length, without a body. */
  "silent-body": ({ send }) => void send(`${OK_HEAD}content-length: 10\r\n\r\n`),
  /** Closes the connection normally, without an answer. */
  "hang-up": ({ socket }) => void socket.end(),
  /** Resets the connection, without an answer. */
  reset: ({ socket }) => void socket.resetAndDestroy(),
  /** 200, half of the announced body, and a reset. */
  "reset-midway": ({ socket, send }) => {
    send(`${OK_HEAD}content-length: 10\r\n\r\nhello`);
    socket.once("drain", () => undefined);
    setImmediate(() => socket.resetAndDestroy());
  },
  /** 200, less than the announced body, and a normal close. */
  short: ({ socket, send }) => {
    send(`${OK_HEAD}content-length: 10\r\n\r\nhello`);
    socket.end();
  },
  /** 200 and chunks without the last one. */
  "chunks-cut-off": ({ socket, send }) => {
    send(`${OK_HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    socket.end();
  },
  garbage: ({ socket, send }) => {
    send("SSH-2.0-OpenSSH_9.2\r\n");
    socket.end();
  },
  "binary-garbage": ({ socket, send }) => {
    send(Uint8Array.from({ length: 512 }, (_, index) => (index * 37) % 256));
    socket.end();
  },
  /** Declares gzip for a body that is not. */
  "false-gzip": ({ socket, send }) => {
    send(`${OK_HEAD}content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello`);
    socket.end();
  },
  /** Text that is not UTF-8, cut in the middle of a character. */
  latin: ({ socket, send }) => {
    send(`${OK_HEAD}content-length: 9\r\n\r\n`);
    send(new Uint8Array([0x61, 0xff, 0x62, 0x00, 0xc3, 0xa9, 0x63, 0xe2, 0x82]));
    socket.end();
  },
};

/** Resolved when the path is released. */
const holds = new Map<string, PromiseWithResolvers<void>>();

function holdOf(path: string): PromiseWithResolvers<void> {
  const hold = holds.get(path) ?? Promise.withResolvers<void>();
  holds.set(path, hold);
  return hold;
}

/** @param tls with an untrusted certificate */
export async function startReceiver({ tls = false } = {}): Promise<Receiver> {
  const seen = new Map<string, SeenRequest[]>();
  const sockets = new Set<Socket>();
  const onConnection = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined); // A client may disconnect.
    readRequest(socket, (target, request) => {
      const named = target.searchParams.get("path") ?? "";
      if (target.pathname === "/seen") return answerJson(socket, seen.get(named) ?? []);
      if (target.pathname === "/release") return answerJson(socket, holdOf(named).resolve());
      const path = `${target.pathname}${target.search}`;
      seen.set(path, [...(seen.get(path) ?? []), request]);
      socket.on("close", () => (request.isClosed = true));
      const behave = BEHAVIOURS[target.pathname.split("/")[1] ?? ""];
      if (behave === undefined) return void socket.end("HTTP/1.1 500 no such behaviour\r\ncontent-length: 0\r\n\r\n");
      behave({
        url: target,
        socket,
        send(text) {
          request.sentBytes += text.length;
          return socket.write(text);
        },
      });
    });
  };
  const server: Server = tls ? createTlsServer(untrustedCertificate(), onConnection) : createServer(onConnection);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the receiver has no port");
  return {
    origin: `${tls ? "https" : "http"}://127.0.0.1:${address.port}`,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** An address without a listener: the port was just free. */
export async function refusedOrigin(): Promise<string> {
  const receiver = await startReceiver();
  await receiver.close();
  return receiver.origin;
}

/** Reads one request of known length. A webhook sender makes no other requests. */
function readRequest(socket: Socket, onRequest: (target: URL, request: SeenRequest) => void): void {
  let received = Buffer.alloc(0);
  socket.on("data", function collect(piece: Buffer) {
    received = Buffer.concat([received, piece]);
    const end = received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const [start = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const body = received.subarray(end + 4);
    if (body.byteLength < Number(headers["content-length"] ?? 0)) return;
    socket.off("data", collect);
    socket.resume();
    const [method = "", target = "/"] = start.split(" ");
    const bodyBase64 = body.toString("base64");
    onRequest(new URL(target, "http://receiver"), { method, headers, bodyBase64, sentBytes: 0, isClosed: false });
  });
}

function answerJson(socket: Socket, value: SeenRequest[] | void): void {
  const body = Buffer.from(JSON.stringify(value ?? null));
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${body.byteLength}\r\n\r\n`,
  );
  socket.end(body);
}

/** Writes `size` bytes with backpressure. */
function pour(socket: Socket, send: Exchange["send"], size: number, piece: Uint8Array = CHUNK): void {
  let left = size;
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      const next = left < piece.byteLength ? piece.subarray(0, left) : piece;
      left -= next.byteLength;
      if (!send(next)) return void socket.once("drain", more);
    }
    socket.end();
  };
  more();
}

function trickle(socket: Socket, drop: () => void): void {
  const timer = setInterval(drop, 20);
  socket.on("close", () => clearInterval(timer));
}
