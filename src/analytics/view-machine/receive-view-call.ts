import type { ViewCalls } from "../views/view-calls.ts";
import { forgetView } from "./forget-view.ts";
import type { ViewParts } from "./parts.ts";
import { takeEvents } from "./take-events.ts";

type Calls = {
  [Name in keyof ViewCalls]: (machine: ViewParts, document: Parameters<ViewCalls[Name]>[0]) => unknown;
};

const CALLS: Calls = { take: takeEvents, forget: forgetView };

export function receiveViewCall(machine: ViewParts, name: string, document: unknown): unknown {
  const call = CALLS[name as keyof ViewCalls] as ((machine: ViewParts, document: unknown) => unknown) | undefined;
  if (call === undefined) throw new Error(`a view does not know ${name}`);
  return call(machine, document);
}
