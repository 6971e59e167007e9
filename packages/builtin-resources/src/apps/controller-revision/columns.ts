import type { ControllerRevision } from '@apiserver/api/apps/v1';
import { lowerCase } from '@apiserver/apimachinery/text';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, describedColumn, nameColumn } from '@apiserver/resource-kit';

const NONE = '<none>';

/** Upstream: printControllerRevision of pkg/printers/internalversion/printers.go */
export const controllerRevisionColumns: readonly Column<ControllerRevision>[] = [
  nameColumn,
  column('Controller', 'Controller of the object', controllerText),
  describedColumn('Revision', ['io.k8s.api.apps.v1.ControllerRevision', 'revision'], ({ revision }) => revision),
  ageColumn,
];

/** "daemonset.apps/name" of the controller that owns the revision; the name of one without kind and group. */
function controllerText({ metadata }: ControllerRevision): string {
  const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller);
  if (owner === undefined) return NONE;
  const [group = ''] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : [];
  const kind = group === '' ? owner.kind : `${owner.kind}.${group}`;
  return kind === '' ? owner.name : `${lowerCase(kind)}/${owner.name}`;
}
