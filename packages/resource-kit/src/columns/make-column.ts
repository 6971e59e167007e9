import type { KubeObject } from '@apiserver/apimachinery';
import type { Column, RowTime } from '@apiserver/apiserver-contracts';

/** A column with its own description. */
export function column<T extends KubeObject>(
  name: string,
  description: string,
  cell: (object: T, now: RowTime) => unknown,
  { type = 'string', priority = 0 }: { readonly type?: string; readonly priority?: number } = {},
): Column<T> {
  return { name, type, format: '', description, priority, cell };
}

/** A column whose description is a field's documentation. */
export function describedColumn<T extends KubeObject>(
  name: string,
  [definition, field]: readonly [definition: string, field: string],
  cell: (object: T, now: RowTime) => unknown,
  { type = 'string', priority = 0 }: { readonly type?: string; readonly priority?: number } = {},
): Column<T> {
  return { name, type, format: '', description: '', describedBy: { definition, field }, priority, cell };
}
