import type { Env } from "../../platform/env.ts";
import { callMachine } from "../../platform/machine/calls.ts";
import type { EdgeFacts } from "./edge-facts.ts";
import type { ViewEvent } from "./view-event.ts";

/** Events of one view, as they arrived together. */
export interface ViewReport {
  workspaceId: string;
  viewId: string;
  edge: EdgeFacts;
  events: ViewEvent[];
  /** The view does not begin with these events: they are ignored before it has. */
  isPassive?: boolean;
}

export interface ViewCalls {
  /** Stores the events that are not known yet. Repeatable. @returns how many were new */
  take: (report: ViewReport) => number;
  /** Deletes what the machine knows of the view, which takes no events any more. Repeatable. */
  forget: (of: { workspaceId: string; viewId: string }) => void;
}

/** Calls the machine of a view. Workspaces do not share machines, so no workspace can write into another's view. */
export const callView = <Name extends keyof ViewCalls>(env: Env, name: Name, report: Parameters<ViewCalls[Name]>[0]) =>
  callMachine<ReturnType<ViewCalls[Name]>>(env.VIEW_MACHINE, `${report.workspaceId}:${report.viewId}`, name, report);
