import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { send, type TestWorkspace } from "../workspace.ts";

const ADDRESS = "http://sluice.test/mcp";

/** A revision with handshake, and one without. */
export const ERAS = ["legacy", "auto"] as const;

/** The official client, whose requests go through the whole Worker. */
export async function connect(authorization: string, mode: (typeof ERAS)[number] = "auto"): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(ADDRESS), {
    fetch: async (url, init) => await send(new Request(url, init)),
    requestInit: { headers: { authorization } },
  });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}

/** What tools return besides the note. */
export interface Answer {
  note: string;
  status: number;
  data: { data: Record<string, unknown> & { id: string }; [field: string]: unknown };
}

export interface Called {
  isError: boolean | undefined;
  text: string;
  answer: Answer;
}

/** Calls a tool, and requires that its text and its structured content say the same. */
export async function callTool(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Called> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
  const [part, ...more] = content as { type: string; text: string }[];
  if (part?.type !== "text" || more.length > 0) throw new Error(`not one text: ${JSON.stringify(content)}`);
  if (structuredContent !== undefined && part.text !== JSON.stringify(structuredContent))
    throw new Error(`the text differs from the structured content: ${part.text}`);
  return { isError, text: part.text, answer: structuredContent as Answer };
}

/** One POST, as a client without the SDK sends it. @param message a text is sent as it is */
export function post(
  { authorization }: Pick<TestWorkspace, "authorization">,
  message: unknown,
  headers: Record<string, string> = {},
  overrides: Parameters<typeof send>[1] = {},
): Promise<Response> {
  const request = new Request(ADDRESS, {
    method: "POST",
    headers: { authorization, "content-type": "application/json", ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
  return send(request, overrides);
}

export const request = (method: string, params?: object, id: number | string = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params }),
});

export const toolCall = (name: string, given: object = {}, id: number | string = 1) =>
  request("tools/call", { name, arguments: given }, id);
