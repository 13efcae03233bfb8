/** Bodies of `/mcp`, from callers without a credential: the bounds are checked before it. */
import { TAKEN, upTo } from "../../support/limits/trials.ts";
import { post, request } from "../mcp/mcp-helpers.ts";

const verdictOf = async (body: unknown): Promise<string> => {
  const { status } = await post({ authorization: "" }, body);
  return status === 401 ? TAKEN : String(status);
};

export const MCP_TRIALS = {
  "mcp-body": upTo((bytes) => verdictOf(JSON.stringify(request("ping")).padEnd(bytes))),
  "mcp-batch": upTo((count) => verdictOf(Array.from({ length: count }, () => request("ping")))),
};
