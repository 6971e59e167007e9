import { type FieldError, type FieldPath, fieldDuplicate, fieldTooMany } from '@apiserver/apimachinery/field';
import { byteLength } from '@apiserver/apimachinery/validation';

type ValidateItem<T> = (item: T, path: FieldPath) => readonly FieldError[];

/** Options for the validation of a list. */
export interface ListRules<T> {
  /** Maximum number of items. Default: unlimited. */
  readonly max?: number;
  readonly validate: ValidateItem<T>;
}

/** Options for the validation of a list with unique items. */
export interface SetRules<T> extends ListRules<T> {
  /** The unique key of an item. */
  keyOf(item: T): string;
  /** A duplicate as messages show it. Default: its key. */
  printed?(item: T): object;
}

/**
 * Validates each item, unless there are too many.
 * Upstream: validateSlice of pkg/apis/resource/validation/validation.go
 */
export function validateList<T>(items: readonly T[], { max, validate }: ListRules<T>, path: FieldPath): FieldError[] {
  if (max !== undefined && items.length > max) return [fieldTooMany(path, items.length, max)];
  return items.flatMap((item, i) => validate(item, path.index(i)));
}

/** Validates a list with unique items. Upstream: validateSet */
export function validateSet<T>(items: readonly T[], rules: SetRules<T>, path: FieldPath): FieldError[] {
  const errors = validateList(items, rules, path);
  if (rules.max !== undefined && items.length > rules.max) return errors;
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const key = rules.keyOf(item);
    if (seen.has(key)) errors.push(fieldDuplicate(path.index(i), rules.printed?.(item) ?? key));
    seen.add(key);
  }
  return errors;
}

/** Options for the validation of a map. */
export interface MapRules<T> extends ListRules<T> {
  /** Faults of keys have the path of the map. */
  readonly validateKey: ValidateItem<string>;
  /** Longer keys are truncated in the paths of messages. */
  readonly maxKeyLength: number;
}

/** Validates in key order. Upstream: validateMap */
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

/** Truncates in the middle, by bytes. Upstream: truncateIfTooLong */
function shortened(text: string, maxLength: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxLength) return text;
  const remaining = maxLength - '...'.length;
  const tail = bytes.subarray(bytes.length - Math.floor(remaining / 2));
  return `${beginning(bytes.subarray(0, Math.ceil(remaining / 2)))}...${tail.toString()}`;
}

/** The text of bytes that may end within a character. Like Go's JSON, it has one U+FFFD for each byte left over. */
function beginning(bytes: Uint8Array): string {
  const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  return whole + '\ufffd'.repeat(bytes.length - byteLength(whole));
}
