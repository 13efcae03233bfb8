export type FieldValue = string | number | boolean;
/** Values by the name of their field. */
export type Fields = Record<string, FieldValue>;
