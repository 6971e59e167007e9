import { FieldPath } from '@apiserver/apimachinery/field';

/** Paths in a workload. */
export const SPEC = FieldPath.of('spec');
export const STATUS = FieldPath.of('status');
export const TEMPLATE = SPEC.child('template');
