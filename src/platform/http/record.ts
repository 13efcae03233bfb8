/** A value for each field of a record. An optional field may be unset (null or undefined), but has to be named. */
type Fields<T extends object> = {
  [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K> ? T[K] | null | undefined : T[K];
};

/**
 * A record of an answer or an event, without its unset fields. The type of the record is stated, so that a field which its schema has and
 * the literal lacks is an error: `recordOf<Media>({ … })`. Not for records with fields that are null on purpose.
 */
export const recordOf = <T extends object = never>(fields: Fields<NoInfer<T>>): T => withoutUnset(fields) as T;

/** Omits unset fields. */
const withoutUnset = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

/** The fields that an update request contains. */
export const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
