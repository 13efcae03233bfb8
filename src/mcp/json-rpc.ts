/** JSON-RPC 2.0, as far as the Model Context Protocol uses it. */
import { z } from "@hono/zod-openapi";

/** The codes of JSON-RPC, and those that the revision 2026-07-28 of the protocol has added. */
export const CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

type RequestId = z.infer<typeof RequestId>;
const RequestId = z.union([z.string(), z.number()]);
const version = z.literal("2.0");
const params = z.record(z.string(), z.unknown()).default({});
const Request = z.object({ jsonrpc: version, id: RequestId, method: z.string(), params });
const Notification = z.object({ jsonrpc: version, id: z.undefined().optional(), method: z.string() });
const Response = z.object({ jsonrpc: version, id: RequestId, method: z.undefined().optional() });

export type RpcRequest = z.infer<typeof Request>;

/** What the caller gets as a JSON-RPC error. */
export class RpcError extends Error {
  readonly code: number;
  /** The status of the HTTP response, when the error is its only message. */
  readonly status: 200 | 400 | 404;
  readonly data: object | undefined;
  constructor(code: number, message: string, options: { status?: 200 | 400 | 404; data?: object } = {}) {
    super(message);
    this.code = code;
    this.status = options.status ?? 200;
    this.data = options.data;
  }
}

/**
 * @returns null for a message that is not answered: a notification, or a response
 * @throws {RpcError} for what is no message
 */
export function readMessage(message: unknown): RpcRequest | null {
  const request = Request.safeParse(message);
  if (request.success) return request.data;
  if (Notification.safeParse(message).success || Response.safeParse(message).success) return null;
  throw new RpcError(CODES.invalidRequest, "the body is not a JSON-RPC 2.0 message", { status: 400 });
}

/** The id of what may be no message; undefined = it has none. */
export function idOf(message: unknown): RequestId | undefined {
  return z.object({ id: RequestId }).safeParse(message).data?.id;
}

export const rpcResult = (id: RequestId, result: object) => ({ jsonrpc: "2.0" as const, id, result });

/** The protocol leaves the id out where JSON-RPC has null. */
export const rpcError = (id: RequestId | undefined, { code, message, data }: RpcError) => ({
  jsonrpc: "2.0" as const,
  ...(id === undefined ? {} : { id }),
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
