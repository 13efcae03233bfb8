/** Omits unset fields from a response. Not for records with fields that are null on purpose. */
export const withoutUnset = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof T as null extends T[K] ? never : undefined extends T[K] ? never : K]: T[K];
  } & {
    [K in keyof T as null extends T[K] ? K : undefined extends T[K] ? K : never]?: Exclude<T[K], null | undefined>;
  };

/** The fields that an update request contains. */
export const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
