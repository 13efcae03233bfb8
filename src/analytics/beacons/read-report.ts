import { readBounded } from "../../../protocol/read-bounded.ts";

/** The text of a player's report; "" without a body, null when it is longer. */
export async function readReport({ body }: Request, maxBytes: number): Promise<string | null> {
  if (body === null) return "";
  const bytes = await readBounded(body.values(), maxBytes);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}
