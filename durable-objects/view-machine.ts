import { DurableObject } from "cloudflare:workers";
import { announceView } from "../src/analytics/view-machine/announce-view.ts";
import { forgetView } from "../src/analytics/view-machine/forget-view.ts";
import { isFreeable } from "../src/analytics/view-machine/free-view.ts";
import { ViewParts } from "../src/analytics/view-machine/parts.ts";
import { takeEvents } from "../src/analytics/view-machine/take-events.ts";
import { viewTimers } from "../src/analytics/view-machine/timers.ts";
import type { ViewCalls, ViewReport } from "../src/analytics/views/view-calls.ts";
import type { Env } from "../src/platform/env.ts";

/** Owns one view: its events, and when it ends (docs/architecture/video-data.md). */
export class ViewMachine extends DurableObject<Env> implements ViewCalls {
  #opened: ViewParts | null = null;

  get parts(): ViewParts {
    return (this.#opened ??= new ViewParts(this.ctx, this.env, announceView));
  }

  take(report: ViewReport): number {
    return takeEvents(this.parts, report);
  }

  forget(): void {
    forgetView(this.parts);
  }

  override async alarm(): Promise<void> {
    if (!isFreeable(this.parts)) return await this.parts.timers.runDue(viewTimers(this.parts));
    this.#opened = null;
    await this.ctx.storage.deleteAll();
  }
}
