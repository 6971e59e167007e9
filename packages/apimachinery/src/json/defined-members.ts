/** Members whose values are known to exist. */
export type DefinedMembers<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** A copy of an object without the members that are undefined. Copies no values. */
export function definedMembers<T extends object>(members: T): DefinedMembers<T>;
export function definedMembers(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
