/** The database, and the text of each statement that is prepared. */
export function countQueries(binding: D1Database): { DB: D1Database; queries: string[] } {
  const queries: string[] = [];
  const DB = new Proxy(binding, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...values: unknown[]) => {
        if (name === "prepare") queries.push(String(values[0]));
        return (value as (...given: unknown[]) => unknown).apply(target, values);
      };
    },
  });
  return { DB, queries };
}
