/** What agents get. */
import { toolResult } from "../../../src/mcp/tool-result.ts";
import { TAKEN, upTo } from "../../support/limits/trials.ts";

export const MCP_TRIALS = {
  "mcp-answer": upTo(async (bytes) => {
    const { isError } = await toolResult({ keeps: new Set(), tooLong: "" }, new Response("x".repeat(bytes)));
    return isError ? "isError" : TAKEN;
  }),
};
