/** An invalid field of a request. */
export interface FieldProblem {
  field: string;
  /** Follows the contract: "is invalid", "must not be null"; our own checks have a message of their own. */
  message: string;
  /** What would be right, where `message` does not say. */
  hint?: string;
}
