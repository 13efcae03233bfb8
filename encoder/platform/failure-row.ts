import { logWarning, type LogFields } from "../../protocol/log.ts";

/** Logs the first failure of a row. The failures that follow until the next success are not logged. */
export class FailureRow {
  readonly #event: string;
  #isFailing = false;

  constructor(event: string) {
    this.#event = event;
  }

  failed(fields: LogFields): void {
    if (!this.#isFailing) logWarning(this.#event, fields);
    this.#isFailing = true;
  }

  succeeded(): void {
    this.#isFailing = false;
  }
}
