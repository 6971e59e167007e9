declare const completed: unique symbol;

/** A validated config with all defaults. Only a `complete…` function creates one. */
export type Completed<T> = Readonly<T> & { readonly [completed]: true };
