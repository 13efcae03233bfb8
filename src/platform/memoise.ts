/** Remembers the results of a pure function of a text, for at most `maxEntries` texts; then it forgets all. */
export function memoise<Result>(compute: (text: string) => Result, maxEntries: number): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const result = known.get(text);
    if (result !== undefined || known.has(text)) return result!;
    if (known.size >= maxEntries) known.clear();
    const computed = compute(text);
    known.set(text, computed);
    return computed;
  };
}
