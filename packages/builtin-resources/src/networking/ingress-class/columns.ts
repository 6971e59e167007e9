import type { IngressClass } from '@apiserver/api/networking/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn } from '@apiserver/resource-kit';
import { classNameColumn } from '../../text/class-name-column.js';

/** Upstream: printIngressClass of pkg/printers/internalversion/printers.go */
export const ingressClassColumns: readonly Column<IngressClass>[] = [
  classNameColumn('ingressclass.kubernetes.io/is-default-class'),
  {
    name: 'Controller',
    type: 'string',
    format: '',
    description: 'Controller that is responsible for handling this class',
    priority: 0,
    cell: ({ spec }) => spec.controller ?? '',
  },
  {
    name: 'Parameters',
    type: 'string',
    format: '',
    description: 'A reference to a resource with additional parameters',
    priority: 0,
    cell: ({ spec: { parameters } }) => {
      if (parameters === undefined) return '<none>';
      const { apiGroup, kind, name } = parameters;
      return `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`;
    },
  },
  ageColumn,
];
