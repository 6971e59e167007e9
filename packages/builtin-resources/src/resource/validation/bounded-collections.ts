import { type FieldError, type FieldPath, fieldDuplicate, fieldTooMany } from '@apiserver/apimachinery/field';

type ValidateItem<T> = (item: T, path: FieldPath) => readonly FieldError[];

/** What a list may hold. */
export interface ListRules<T> {
  /** At most so many items; absent: any number. */
  readonly max?: number;
  readonly validate: ValidateItem<T>;
}

/** What a list may hold whose items have to differ. */
export interface SetRules<T> extends ListRules<T> {
  /** What may stand once. */
  keyOf(item: T): string;
  /** What a message shows of the second one; absent: its key. */
  textOf?(item: T): string;
}

/**
 * Each item on its own; none of them where there are too many.
 * Upstream: validateSlice of pkg/apis/resource/validation/validation.go
 */
export function validateList<T>(items: readonly T[], { max, validate }: ListRules<T>, path: FieldPath): FieldError[] {
  if (max !== undefined && items.length > max) return [fieldTooMany(path, items.length, max)];
  return items.flatMap((item, i) => validate(item, path.index(i)));
}

/** As a list, and no item twice. Upstream: validateSet */
export function validateSet<T>(items: readonly T[], rules: SetRules<T>, path: FieldPath): FieldError[] {
  const errors = validateList(items, rules, path);
  if (rules.max !== undefined && items.length > rules.max) return errors;
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const key = rules.keyOf(item);
    if (seen.has(key)) errors.push(fieldDuplicate(path.index(i), rules.textOf?.(item) ?? key));
    seen.add(key);
  }
  return errors;
}

/** What a map may hold. */
export interface MapRules<T> extends ListRules<T> {
  /** Faults of keys are placed at the map. */
  readonly validateKey: ValidateItem<string>;
  /** Longer keys are shortened in the paths of messages. */
  readonly maxKeyLength: number;
}

/** In the order of the keys. Upstream: validateMap */
export function validateMap<T>(
  entries: Readonly<Record<string, T>>,
  rules: MapRules<T>,
  path: FieldPath,
): FieldError[] {
  const { max, validate, validateKey, maxKeyLength } = rules;
  const keys = Object.keys(entries).sort();
  if (max !== undefined && keys.length > max) return [fieldTooMany(path, keys.length, max)];
  return keys.flatMap((key) => {
    const item = entries[key];
    const errors = [...validateKey(key, path)];
    return item === undefined ? errors : [...errors, ...validate(item, path.key(shortened(key, maxKeyLength)))];
  });
}

/** Cut in the middle. Upstream: truncateIfTooLong */
function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const remaining = maxLength - '...'.length;
  return `${text.slice(0, Math.ceil(remaining / 2))}...${text.slice(text.length - Math.floor(remaining / 2))}`;
}
