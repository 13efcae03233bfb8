import { type EndpointHealth, isFailing, newHealth } from "./endpoint-health.ts";

const KEY = "health";

/** The endpoint's health, kept in the sender's storage. Only changes are written. */
export class HealthStore {
  readonly #kv: SyncKvStorage;
  #current: EndpointHealth;
  #stored: string;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
    this.#current = kv.get<EndpointHealth>(KEY) ?? newHealth();
    this.#stored = JSON.stringify(this.#current);
  }

  get current(): EndpointHealth {
    return this.#current;
  }

  set(health: EndpointHealth): void {
    const json = JSON.stringify(health);
    if (json !== this.#stored) this.#kv.put(KEY, health);
    this.#stored = json;
    this.#current = health;
  }

  delete(): void {
    this.#kv.delete(KEY);
  }

  /** Epoch ms; null while the endpoint does not count as failing, as after one or two failures. */
  get failingSinceMs(): number | null {
    return isFailing(this.#current) ? this.#current.failingSinceMs : null;
  }
}
