import type { FieldSet } from '../field-set/field-set.js';
import type { MergeType } from '../field-set/merge-type.js';

/** A value with its type and version. */
export interface TypedValue {
  readonly apiVersion: string;
  readonly type: MergeType;
  readonly value: unknown;
}

/** Properties of the kind that ownership needs. */
export interface MergeContext {
  /** The value in another version; undefined if that version no longer exists. Must not change its argument. */
  convert(value: TypedValue, apiVersion: string): TypedValue | undefined;
  /** Fields that the endpoint resets whatever the client sends: writes there do not own them. */
  readonly resetFields: FieldSet;
}

/** Converts a value to a version; returns it unchanged if it is in that version. */
export function convert(context: MergeContext, value: TypedValue, apiVersion: string): TypedValue | undefined {
  return value.apiVersion === apiVersion ? value : context.convert(value, apiVersion);
}
