import type { KubeObject } from '@apiserver/apimachinery';
import type { Column } from '@apiserver/apiserver-contracts';
import { nameColumn } from '@apiserver/resource-kit';

/** The name of a class, marked if one of the annotations makes it the default class. */
export function classNameColumn(...annotations: readonly string[]): Column<KubeObject> {
  return {
    ...nameColumn,
    cell: ({ metadata }) => {
      const isDefault = annotations.some((annotation) => metadata.annotations?.[annotation] === 'true');
      return `${metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
    },
  };
}
