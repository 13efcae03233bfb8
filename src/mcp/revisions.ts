/**
 * The revisions of the Model Context Protocol that the route speaks. Since 2026-07-28 each request states its version, and headers repeat what
 * the body says; the earlier ones begin with a handshake, `initialize`, after which a header names the version. Pure.
 */
import { fromBase64 } from "../../protocol/base64.ts";
import { CODES, RpcError, type RpcRequest } from "./json-rpc.ts";

const STATELESS_REVISION = "2026-07-28";
/** Newest first. */
export const HANDSHAKE_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;
export const REVISIONS = [STATELESS_REVISION, ...HANDSHAKE_REVISIONS] as const;
/** The only revision with batches, and that of a request without the header. */
const BATCH_REVISION = "2025-03-26";

export const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const VERSION_HEADER = "mcp-protocol-version";

export const takesBatches = (headers: Headers): boolean =>
  (headers.get(VERSION_HEADER) ?? BATCH_REVISION) === BATCH_REVISION;

/**
 * Whether a request is of a revision without handshake, whose headers are then checked against its body.
 *
 * @throws {RpcError} for another revision, and for headers that contradict the body
 */
export function isStateless({ method, params }: RpcRequest, headers: Headers): boolean {
  const meta = isObject(params["_meta"]) ? params["_meta"] : {};
  const stated = meta[VERSION_KEY];
  const header = headers.get(VERSION_HEADER);
  if (stated === undefined) {
    if (header === STATELESS_REVISION) throw malformed(`_meta lacks ${VERSION_KEY}`);
    if (header !== null && !(HANDSHAKE_REVISIONS as readonly string[]).includes(header)) throw unsupported(header);
    return false;
  }
  if (typeof stated !== "string") throw malformed(`${VERSION_KEY} is not a text`);
  requireSame("MCP-Protocol-Version", header, stated);
  if (stated !== STATELESS_REVISION) throw unsupported(stated);
  if (!isObject(meta[CAPABILITIES_KEY])) throw malformed(`_meta lacks ${CAPABILITIES_KEY}`);
  requireSame("Mcp-Method", headers.get("mcp-method"), method);
  const name = params["name"];
  if (method === "tools/call" && typeof name === "string")
    requireSame("Mcp-Name", decoded(headers.get("mcp-name")), name);
  return true;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function requireSame(header: string, value: string | null, body: string): void {
  if (value === body) return;
  const problem = value === null ? "is missing or malformed" : "differs from the body";
  throw new RpcError(CODES.headerMismatch, `Header mismatch: ${header} ${problem}`, { status: 400 });
}

/** A value that does not fit into a header is in base64; null = it is not. */
function decoded(value: string | null): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? "")?.[1];
  if (encoded === undefined) return value;
  const bytes = fromBase64(encoded);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

const malformed = (problem: string) => new RpcError(CODES.invalidParams, `Invalid params: ${problem}`, { status: 400 });

const unsupported = (requested: string) =>
  new RpcError(CODES.unsupportedVersion, "Unsupported protocol version", {
    status: 400,
    data: { supported: REVISIONS, requested },
  });
