import { ViewMachine } from "../../durable-objects/view-machine.ts";
import type { Env } from "../../src/platform/env.ts";

/** A view's object that can also do the least: store the body of a beacon as one row. */
export class MeasuredViewMachine extends ViewMachine {
  #hasTable = false;

  storeBody(body: string): void {
    const { sql } = this.ctx.storage;
    if (!this.#hasTable) sql.exec("CREATE TABLE IF NOT EXISTS bodies (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
    this.#hasTable = true;
    sql.exec("INSERT INTO bodies (body) VALUES (?)", body);
  }
}

/** Gives the body to the object of that name. Resolves once it is stored. */
export async function storeBare({ VIEW_MACHINE: views }: Env, name: string, body: string): Promise<void> {
  const object = views.get(views.idFromName(`bare:${name}`)) as DurableObjectStub<MeasuredViewMachine>;
  await object.storeBody(body);
}
