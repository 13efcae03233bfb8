/** A server with OpenAI's chat API that a test programs, over real HTTP. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ChatRequest {
  model: string;
  messages: { role: string; content: string }[];
  response_format?: { type: string; json_schema?: { name: string } };
  max_tokens: number;
}

type Part = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

/** The picture of a question to a model that sees; null = it has none. */
export function pictureIn({ messages }: ChatRequest): Buffer | null {
  const content = messages.at(-1)!.content as string | Part[];
  const picture = typeof content === "string" ? undefined : content.find(({ type }) => type === "image_url");
  if (picture?.type !== "image_url") return null;
  const [, base64 = ""] = /^data:image\/jpeg;base64,(.+)$/.exec(picture.image_url.url) ?? [];
  return Buffer.from(base64, "base64");
}

export interface ChatStandIn {
  /** With the path of the API. */
  baseUrl: string;
  /** Every request so far. */
  asked: ChatRequest[];
  answer(how: (asked: ChatRequest, response: ServerResponse, number: number) => void): void;
  forget(): void;
  stop(): Promise<void>;
}

export async function startChatStandIn(): Promise<ChatStandIn> {
  let how: Parameters<ChatStandIn["answer"]>[0] = (_, response) => response.writeHead(500).end();
  const asked: ChatRequest[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      if (request.url !== "/v1/chat/completions") return void response.writeHead(404).end();
      const one = JSON.parse(Buffer.concat(pieces).toString("utf8")) as ChatRequest;
      how(one, response, asked.push(one) - 1);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    answer: (next) => (how = next),
    forget: () => asked.splice(0),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Answers with text, as a model writes it. */
export const answerChat = (response: ServerResponse, content: unknown, tokens = { prompt: 1000, completion: 100 }) =>
  response.writeHead(200, { "content-type": "application/json" }).end(
    JSON.stringify({
      choices: [
        { message: { role: "assistant", content: typeof content === "string" ? content : JSON.stringify(content) } },
      ],
      usage: { prompt_tokens: tokens.prompt, completion_tokens: tokens.completion },
    }),
  );
