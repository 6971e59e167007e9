/** The fields of a kind that belong to a feature. */
export interface GatedFields<T> {
  /** Reports whether an object has any of them. A stored object that has keeps those of the new one. */
  isUsed(object: T): boolean;
  /** Mutates `object`. */
  drop(object: T): void;
}

/** Drops the fields of disabled features, unless `old` has them. Mutates `object`. */
export type DropDisabledFields<T> = (object: T, old: T | undefined) => void;

/**
 * Fields by their paths, which are separated by dots. `*` stands for the elements of a list and the values of a map. Null,
 * an empty list and an empty string are not in use.
 */
export function gatedFields<T extends object>(...paths: readonly string[]): GatedFields<T> {
  const places = paths.map((path) => path.split('.'));
  return {
    isUsed: (object) => places.some((place) => isUsedAt(object, place)),
    drop(object) {
      for (const place of places) dropAt(object, place);
    },
  };
}

/** Drops `fields` where a feature is off. Make it once for a server. */
export function droppingFields<T>(fields: readonly GatedFields<T>[]): DropDisabledFields<T> {
  return (object, old) => {
    for (const { isUsed, drop } of fields) {
      if (old === undefined || !isUsed(old)) drop(object);
    }
  };
}

function isUsedAt(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return Array.isArray(value) ? value.length > 0 : (value ?? '') !== '';
  return children(value, step).some((child) => isUsedAt(child, rest));
}

function dropAt(value: unknown, [step = '', ...rest]: readonly string[]): void {
  if (rest.length > 0) for (const child of children(value, step)) dropAt(child, rest);
  else if (isObject(value)) delete value[step];
}

function children(value: unknown, step: string): readonly unknown[] {
  if (!isObject(value)) return [];
  return step === '*' ? Object.values(value) : [value[step]];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
