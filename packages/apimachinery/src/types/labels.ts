/** A set of labels of an object. */
export type Labels = Readonly<Record<string, string>>;
