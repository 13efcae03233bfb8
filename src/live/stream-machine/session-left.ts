import { isOnAir } from "../streams/moves.ts";
import type { Connection } from "../streams/stream-calls.ts";
import { currentSession } from "./current-session.ts";
import { disconnect, holdPicture } from "./disconnect.ts";
import { endBroadcast } from "./end-broadcast.ts";
import type { StreamComponents } from "./components.ts";

/** The gateway reports that its broadcaster has left and that everything it sent has arrived. */
export function onLeft(machine: StreamComponents, connection: Connection): null {
  const { documents, gracefulStop } = machine;
  const session = currentSession(machine, connection);
  if (session === null) return null;
  documents.put("session", { ...session, hasLeft: true });
  // A broadcaster that sent no decodable media cannot resume; its session ends.
  if (session.facts === null) endBroadcast(machine, "windowOver", "window_over");
  else if (isOnAir(machine.state.status)) disconnect(machine);
  if (gracefulStop.reason === null) holdPicture(machine);
  gracefulStop.complete();
  return null;
}
