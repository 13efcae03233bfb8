/** Clients of the SDK that call the Worker, over a network that the test makes fail. */
import { Sluice, type SluiceOptions } from "../../../sdk/index.ts";
import { send, type TestWorkspace } from "../workspace.ts";

/** What becomes of a request: the network loses it, or its answer, or something in front of the Worker answers. */
export type Fault = "lost" | "answer lost" | Response | null;

export interface Network {
  fetch: (request: Request) => Promise<Response>;
  /** The requests so far, as `PUT bytes 0-9/10` or `GET /v1/events`. */
  requests: string[];
}

/** @param faultOf the request with this number, counted from 1; null = it reaches the Worker and is answered */
export function networkOf(faultOf: (number: number, request: Request) => Fault = () => null): Network {
  const requests: string[] = [];
  return {
    requests,
    async fetch(request) {
      const range = request.headers.get("content-range");
      const number = requests.push(`${request.method} ${range ?? new URL(request.url).pathname}`);
      const fault = faultOf(number, request);
      if (fault instanceof Response) return fault;
      if (fault === "lost") throw new TypeError("fetch failed");
      const response = await send(await withLength(request));
      if (fault === "answer lost") throw new TypeError("terminated");
      return response;
    },
  };
}

/** A real `fetch` states the length of the body. */
async function withLength(request: Request): Promise<Request> {
  const body = await request.arrayBuffer();
  const headers = new Headers(request.headers);
  headers.set("content-length", String(body.byteLength));
  const { method, url } = request;
  return new Request(url, { method, headers, ...(body.byteLength === 0 ? {} : { body }) });
}

export const BASE_URL = "http://sluice.test";

/** A client with the credentials of a workspace. */
export function clientOf(
  { authorization }: TestWorkspace,
  network: Network = networkOf(),
  more: Partial<SluiceOptions> = {},
): Sluice {
  const [accessToken = "", secretKey = ""] = atob(authorization.slice("Basic ".length)).split(":");
  return new Sluice({ baseUrl: BASE_URL, accessToken, secretKey, fetch: network.fetch, ...more });
}
