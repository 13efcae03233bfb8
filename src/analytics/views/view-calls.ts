import type { Env } from "../../platform/env.ts";
import { remoteObject } from "../../platform/machine/remote.ts";
import type { EdgeFacts } from "./edge-facts.ts";
import type { EncodedEvent } from "./view-event.ts";

/** Events of one view, as they arrived together. */
export interface ViewReport {
  workspaceId: string;
  viewId: string;
  edge: EdgeFacts;
  events: EncodedEvent[];
  /** The view does not begin with these events: they are ignored before it has. */
  isPassive?: boolean;
}

/** The RPC methods of a view's machine (`durable-objects/view-machine.ts`). */
export interface ViewCalls {
  /** Stores the events that are not known yet. Repeatable. @returns how many were new */
  take(report: ViewReport): number;
  /** Deletes what the machine knows of the view, which takes no events any more. Repeatable. */
  forget(): void;
}

/** Returns a stub; sends nothing. Workspaces do not share machines, so no workspace can write into another's view. */
export const viewMachine = ({ VIEW_MACHINE: machines }: Env, workspaceId: string, viewId: string) =>
  remoteObject<ViewCalls>(machines, `${workspaceId}:${viewId}`);
