import type { FieldSet } from '../field-set/field-set.js';
import type { MergeType } from '../field-set/merge-type.js';

/** A value with its type and version. */
export interface TypedValue {
  readonly apiVersion: string;
  readonly type: MergeType;
  readonly value: unknown;
}

/** What ownership needs to know of the kind. */
export interface MergeContext {
  /** The value in another version; undefined when that version is not there any more. Must not change its argument. */
  convert(value: TypedValue, apiVersion: string): TypedValue | undefined;
  /** Fields that the endpoint resets whatever the client says: nobody owns them by writing there. */
  readonly resetFields: FieldSet;
}

/** The value in a version; itself when it is in that version. */
export function convert(context: MergeContext, value: TypedValue, apiVersion: string): TypedValue | undefined {
  return value.apiVersion === apiVersion ? value : context.convert(value, apiVersion);
}
