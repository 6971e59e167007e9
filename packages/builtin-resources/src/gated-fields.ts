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
 * Fields by their paths, which are separated by dots. `*` stands for the elements of a list and the values of a map.
 * Null, an empty list and an empty string are not in use.
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

function isUsedAt(value: unknown, place: readonly string[], i = 0): boolean {
  if (i === place.length) return Array.isArray(value) ? value.length > 0 : (value ?? '') !== '';
  if (!isObject(value)) return false;
  const step = place[i] ?? '';
  if (step !== '*') return isUsedAt(value[step], place, i + 1);
  return Object.values(value).some((child) => isUsedAt(child, place, i + 1));
}

function dropAt(value: unknown, place: readonly string[], i = 0): void {
  if (!isObject(value)) return;
  const step = place[i] ?? '';
  if (i === place.length - 1) {
    // Null is how a field without a value is kept that JSON always shows.
    if ((value[step] ?? undefined) !== undefined) delete value[step];
  } else if (step === '*') {
    for (const child of Object.values(value)) dropAt(child, place, i + 1);
  } else dropAt(value[step], place, i + 1);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
