declare const completed: unique symbol;

/** A config whose defaults are filled in and whose parts agree. Only a complete function makes one. */
export type Completed<T> = Readonly<T> & { readonly [completed]: true };
