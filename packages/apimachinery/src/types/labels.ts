/** A set of labels, as objects carry them. */
export type Labels = Readonly<Record<string, string>>;
