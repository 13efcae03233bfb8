/**
 * The cycles of a graph: its strongly connected components of more than one node (Tarjan 1972), each in alphabetical order.
 *
 * @param edges every node with the nodes that it points to; nodes that are not keys are ignored
 */
export function findCircles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const circles: string[][] = [];

  const visit = (node: string): void => {
    indexes.set(node, indexes.size);
    lowest.set(node, indexes.get(node)!);
    stack.push(node);
    onStack.add(node);
    for (const next of edges.get(node)!) {
      if (!edges.has(next)) continue;
      if (!indexes.has(next)) visit(next);
      if (onStack.has(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
    }
    if (lowest.get(node) !== indexes.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    for (const member of component) onStack.delete(member);
    if (component.length > 1) circles.push(component.sort());
  };
  for (const node of edges.keys()) if (!indexes.has(node)) visit(node);
  return circles;
}

/**
 * @param component nodes that all reach each other, as `findCircles` returns them
 * @returns the shortest cycle among them, in order
 */
export function shortestCircle(
  component: readonly string[],
  edges: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const members = new Set(component);
  const all = component.map((start) => wayBack(start, (node) => [...edges.get(node)!].filter((to) => members.has(to))));
  return all.reduce((best, one) => (one.length < best.length ? one : best));
}

/** @returns the shortest way from a node to itself (breadth first), without its end */
function wayBack(start: string, next: (node: string) => readonly string[]): string[] {
  const seen = new Set<string>();
  let ways = [[start]];
  while (ways.length > 0) {
    const home = ways.find((way) => next(way.at(-1)!).includes(start));
    if (home !== undefined) return home;
    ways = ways.flatMap((way) =>
      next(way.at(-1)!).flatMap((node) => {
        if (seen.has(node)) return [];
        seen.add(node);
        return [[...way, node]];
      }),
    );
  }
  throw new Error(`${start} is in no cycle`);
}
