/** Unset fields are left out of an answer. Fields that are null on purpose do not pass through here. */
export const withoutUnset = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof T as null extends T[K] ? never : undefined extends T[K] ? never : K]: T[K];
  } & {
    [K in keyof T as null extends T[K] ? K : undefined extends T[K] ? K : never]?: Exclude<T[K], null | undefined>;
  };

/** The fields that a request to change something names. */
export const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
