/** Why a source cannot be played as it is; the ladder takes it instead. The reason is for logs and the asset's owner. */
export class NotStandard extends Error {}

export function standardOnlyIf(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new NotStandard(reason);
}
