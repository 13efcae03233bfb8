/** An address with its parameters, in their order; those without a value are left out. */
export function withQuery(path: string, values: Record<string, string | number | null | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== null && value !== undefined) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
