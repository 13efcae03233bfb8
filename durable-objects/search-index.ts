import { DurableObject } from "cloudflare:workers";
import { SearchComponents } from "../src/ai/search/components.ts";
import { feed } from "../src/ai/search/feed.ts";
import { findHits, type HitQuery } from "../src/ai/search/find-hits.ts";
import type { FoundHits, SearchCalls } from "../src/ai/search/search-calls.ts";
import type { Env } from "../src/platform/env.ts";

/** Finds words in the captions and titles of one workspace (docs/architecture/search.md). */
export class SearchIndex extends DurableObject<Env> implements SearchCalls {
  #opened: SearchComponents | null = null;

  get components(): SearchComponents {
    return (this.#opened ??= new SearchComponents(this.ctx, this.env));
  }

  override async alarm(): Promise<void> {
    await this.components.timers.runDue({ run: () => feed(this.components) });
  }

  find(query: HitQuery): FoundHits {
    const { run, totals } = this.components.index;
    return { ...findHits(run, query), leftOut: totals.leftOut };
  }

  wake(workspaceId: string): void {
    this.components.wake(workspaceId);
  }
}
