/** Why passthrough of a source is impossible; the source is then encoded only. The reason is for logs and the asset's owner. */
export class NotStandard extends Error {}

export function standardOnlyIf(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new NotStandard(reason);
}
