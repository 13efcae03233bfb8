import type { ContractOperation } from "./contract.ts";

/** The operations as a Markdown table. Pure. */
export function contractTable(
  operations: readonly ContractOperation[],
  isImplemented: (operation: ContractOperation) => boolean,
  isChecked: (operation: ContractOperation) => boolean,
): string {
  const mark = (is: boolean) => (is ? "yes" : "–");
  const rows = operations.map((operation) => [
    `\`${operation.method} ${operation.path}\``,
    operation.operationId,
    mark(isImplemented(operation)),
    mark(isChecked(operation)),
  ]);
  const lines = [["Operation", "Name", "Implemented", "Checked"], ["---", "---", "---", "---"], ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
