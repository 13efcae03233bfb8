import contract from "./rest.json" with { type: "json" };
import type { Schema } from "./schema.ts";

export interface ContractOperation {
  operationId: string;
  method: string;
  path: string;
  tag: string;
  /** By status: exactly one. */
  success: Record<string, Schema>;
  errors: number[];
}

export const OPERATIONS = contract.operations as unknown as ContractOperation[];
export const ERROR_BODY = contract.errorBody as unknown as Schema;
/** The forms of ids, by the names of their fields; `<streamId>` is that of the same record. */
export const ID_FORMATS: Readonly<Record<string, string | readonly string[]>> = contract.idFormats;
/** The messages of each error status. */
export const ERROR_MESSAGES = contract.errorMessages as Record<string, string[]>;
