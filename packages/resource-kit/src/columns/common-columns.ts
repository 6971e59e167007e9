import type { Column } from '@apiserver/apiserver-contracts';
import { timeSince } from './time-since.js';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The first column of every kind. */
export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: '',
  describedBy: { definition: OBJECT_META, field: 'name' },
  priority: 0,
  cell: (object) => object.metadata.name ?? '',
};

/** The time since an object's creation. */
export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  format: '',
  description: '',
  describedBy: { definition: OBJECT_META, field: 'creationTimestamp' },
  priority: 0,
  cell: ({ metadata }, now) => timeSince(metadata.creationTimestamp, now),
};
