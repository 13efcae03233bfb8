import { countWatched } from "./count-watched.ts";
import { figuresOf } from "./figures.ts";
import { partsOf } from "./range-parts.ts";
import { keepHandingOver } from "./hand-over.ts";
import { forgetViewer } from "./forget-viewer.ts";
import type { StoreComponents } from "./components.ts";
import { putView } from "./put-view.ts";
import type { StoreCalls } from "./store-calls.ts";
import { keepTakingBack } from "./take-back.ts";

type Document<Name extends keyof StoreCalls> = Parameters<StoreCalls[Name]>[0];
type Calls = {
  [Name in keyof StoreCalls]: (
    components: StoreComponents,
    document: never,
  ) => ReturnType<StoreCalls[Name]> | Promise<ReturnType<StoreCalls[Name]>>;
};

const CALLS: Calls = {
  put: (components, stored: Document<"put">) => putView(components, stored),
  remove: ({ views }, { viewId }: Document<"remove">) => void views.remove([viewId]),
  find: ({ views }, { viewId }: Document<"find">) => views.find(viewId),
  page: ({ views }, { condition, afterMs, afterId }: Document<"page">) => views.page(condition, afterMs, afterId),
  engagement: ({ views }, { condition, axis, grid }: Document<"engagement">) =>
    countWatched(views, condition, axis, grid),
  refuse: ({ refusals }, { counts, atMs }: Document<"refuse">) => refusals.add(counts, atMs),
  refusals: ({ refusals }, { fromMs, toMs }: Document<"refusals">) => refusals.between(fromMs, toMs),
  run: ({ views }, { queries }: Document<"run">) => queries.map((query) => views.run(query)),
  figures: ({ views }, { span, wanted, withViewers = false }: Document<"figures">) =>
    figuresOf(views, span, wanted, { withViewers }),
  ranges: ({ views }, { span, ranges }: Document<"ranges">) => partsOf(views, span, ranges),
  remainder: ({ views, handOver }, { workspaceId, month, queries, watched }: Document<"remainder">) => {
    handOver.open(workspaceId, month);
    return {
      rows: queries.map((query) => views.run(query)),
      watched: watched === undefined ? null : countWatched(views, watched.condition, watched.axis, watched.grid),
      handedOver: handOver.handedOver,
    };
  },
  handOver: (components, of: Document<"handOver">) => keepHandingOver(components, of),
  takeBack: (components, of: Document<"takeBack">) => keepTakingBack(components, of),
  forget: (components, { viewerId }: Document<"forget">) => forgetViewer(components, viewerId),
};

export function receiveStoreCall(components: StoreComponents, name: string, document: unknown): unknown {
  const call = CALLS[name as keyof StoreCalls] as ((components: StoreComponents, document: unknown) => unknown) | undefined;
  if (call === undefined) throw new Error(`a view store does not know ${name}`);
  return call(components, document);
}
