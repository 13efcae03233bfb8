/** A server with OpenAI's audio API that a test programs, over real HTTP. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request, as the server has read it. */
export interface Asked {
  form: FormData;
  request: IncomingMessage;
  response: ServerResponse;
  /** Counts from 0. */
  number: number;
}

export interface SpeechStandIn {
  /** With the path of the API. */
  baseUrl: string;
  /** Every request so far, with the times at which it came and was answered. */
  asked: {
    form: FormData;
    authorization: string | undefined;
    contentLength: number;
    fromMs: number;
    untilMs: number;
  }[];
  /** The most requests at the same time. */
  mostAtOnce(): number;
  answer(how: (asked: Asked) => void): void;
  forget(): void;
  stop(): Promise<void>;
}

export async function startSpeechStandIn(): Promise<SpeechStandIn> {
  let how: (asked: Asked) => void = ({ response }) => response.writeHead(500).end();
  const asked: SpeechStandIn["asked"] = [];
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    open += 1;
    most = Math.max(most, open);
    response.on("close", () => (open -= 1));
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const headers = { "content-type": request.headers["content-type"] ?? "" };
      void new Response(Buffer.concat(pieces), { headers }).formData().then((form) => {
        const one = {
          form,
          authorization: request.headers.authorization,
          contentLength: Number(request.headers["content-length"]),
          fromMs: Date.now(),
          untilMs: 0,
        };
        response.on("close", () => (one.untilMs = Date.now()));
        how({ form, request, response, number: asked.push(one) - 1 });
      });
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    mostAtOnce: () => most,
    answer: (next) => (how = next),
    forget: () => {
      asked.splice(0);
      most = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const answerJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** What a server answers that has heard a sentence of four words, one a second. */
export const heardWords = (text: string) => ({
  text,
  language: "english",
  words: text.split(" ").map((word, position) => ({ word, start: position + 0.2, end: position + 0.8 })),
});
