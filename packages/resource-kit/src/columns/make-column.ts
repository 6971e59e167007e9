import type { KubeObject } from '@apiserver/apimachinery';
import type { Column } from '@apiserver/apiserver-contracts';

/** A column that says of itself what it shows. */
export function column<T extends KubeObject>(
  name: string,
  description: string,
  cell: (object: T, now: Date) => unknown,
  { type = 'string', priority = 0 }: { readonly type?: string; readonly priority?: number } = {},
): Column<T> {
  return { name, type, format: '', description, priority, cell };
}

/** A column that is described by the documentation of a field. */
export function describedColumn<T extends KubeObject>(
  name: string,
  [definition, field]: readonly [definition: string, field: string],
  cell: (object: T, now: Date) => unknown,
  { type = 'string', priority = 0 }: { readonly type?: string; readonly priority?: number } = {},
): Column<T> {
  return { name, type, format: '', description: '', describedBy: { definition, field }, priority, cell };
}
