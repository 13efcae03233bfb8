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
/** The messages of each error status. */
export const ERROR_MESSAGES = contract.errorMessages as Record<string, string[]>;
