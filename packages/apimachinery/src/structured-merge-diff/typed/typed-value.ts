import type { FieldSet } from '../field-set/field-set.js';
import type { MergeType } from '../field-set/merge-type.js';
import { MergeTypeError } from './type-errors.js';

/** A value with its type and version. */
export interface TypedValue {
  readonly apiVersion: string;
  readonly type: MergeType;
  readonly value: unknown;
}

/** A value has no form in another version. */
export class ConversionFailure extends MergeTypeError {}

/** Properties of the kind that ownership needs. */
export interface MergeContext {
  /**
   * The value in another version; undefined if that version no longer exists. Must not change its argument. Throws
   * ConversionFailure.
   */
  convert(value: TypedValue, apiVersion: string): TypedValue | undefined;
  /** A converted value without the empty lists and maps that its JSON leaves out. Must not change its argument. */
  withoutEmpty(value: TypedValue): TypedValue;
  /**
   * Fields that the endpoint resets whatever the client sends: writes there do not own them, nor take them from
   * managers of that version.
   */
  resetFieldsIn(apiVersion: string): FieldSet;
}

/**
 * Converts a value to a version; returns it unchanged if it is in that version. The message of a failure starts with
 * `failed`.
 */
export function convert(
  context: MergeContext,
  value: TypedValue,
  apiVersion: string,
  failed?: string,
): TypedValue | undefined {
  if (value.apiVersion === apiVersion) return value;
  try {
    return context.convert(value, apiVersion);
  } catch (error) {
    if (failed === undefined || !(error instanceof ConversionFailure)) throw error;
    throw new ConversionFailure([`${failed}: ${error.message}`]);
  }
}
