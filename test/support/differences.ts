/** How a list differs from what it should have, for a short message where whole lists would be a line of thousands of characters. */
export function differences(
  list: readonly string[],
  expected: ReadonlySet<string>,
): { missing: string[]; unknown: string[] } {
  return {
    missing: [...expected].filter((one) => !list.includes(one)),
    unknown: list.filter((one, index) => !expected.has(one) || list.indexOf(one) !== index),
  };
}
