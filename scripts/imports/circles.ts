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
