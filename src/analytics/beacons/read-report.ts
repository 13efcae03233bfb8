import { readBounded } from "../../../protocol/read-bounded.ts";
import { statedLength } from "../../platform/http/read-bytes.ts";

/** The text of a player's report; "" without a body, null when it is longer. */
export async function readReport(request: Request, maxBytes: number): Promise<string | null> {
  const { body, headers } = request;
  if (body === null) return "";
  const length = statedLength(headers);
  if (length !== null && length <= maxBytes) return await request.text();
  const bytes = await readBounded(body.values(), maxBytes);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}
