import type { StreamComponents } from "./components.ts";

/** A changed reconnect window applies to the session that is open. */
export function configure({ documents, session }: StreamComponents, reconnectWindowS: number): null {
  if (session !== null) documents.put("session", { ...session, reconnectWindowS });
  return null;
}
