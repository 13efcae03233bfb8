import { DurableObject } from "cloudflare:workers";
import { announceView } from "../src/analytics/view-machine/announce-view.ts";
import { forgetView } from "../src/analytics/view-machine/forget-view.ts";
import { isFreeable } from "../src/analytics/view-machine/free-view.ts";
import { ViewComponents } from "../src/analytics/view-machine/components.ts";
import { takeEvents } from "../src/analytics/view-machine/take-events.ts";
import { viewTimers } from "../src/analytics/view-machine/timers.ts";
import type { ViewCalls, ViewReport } from "../src/analytics/views/view-calls.ts";
import type { Env } from "../src/platform/env.ts";

/** Owns one view: its events, and when it ends (docs/architecture/video-data.md). */
export class ViewMachine extends DurableObject<Env> implements ViewCalls {
  #opened: ViewComponents | null = null;

  get components(): ViewComponents {
    return (this.#opened ??= new ViewComponents(this.ctx, this.env, announceView));
  }

  take(report: ViewReport): number {
    return takeEvents(this.components, report);
  }

  forget(): void {
    forgetView(this.components);
  }

  override async alarm(): Promise<void> {
    if (!isFreeable(this.components)) return await this.components.timers.runDue(viewTimers(this.components));
    this.#opened = null;
    await this.ctx.storage.deleteAll();
  }
}
