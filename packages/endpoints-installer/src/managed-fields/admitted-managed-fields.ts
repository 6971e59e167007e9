import type { KubeObject } from '@apiserver/apimachinery';
import { decodeManagedFields, ManagedFieldsError } from '@apiserver/apimachinery/structured-merge-diff';
import type { WarningRecorder } from '@apiserver/apiserver-contracts';

/**
 * Runs mutating admission on an object. If a plugin makes the managed fields unreadable, they are restored and the
 * client gets a warning.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/admission.go
 */
export function admitManagedFields(
  object: KubeObject,
  warnings: WarningRecorder,
  admit: () => Promise<void> | void,
): Promise<void> | void {
  const before = object.metadata.managedFields;
  const pending = admit();
  if (pending === undefined) return restoreUnreadable(object, warnings, before);
  return pending.then(() => restoreUnreadable(object, warnings, before));
}

function restoreUnreadable(
  object: KubeObject,
  warnings: WarningRecorder,
  before: KubeObject['metadata']['managedFields'],
): void {
  const after = object.metadata.managedFields;
  if (after === before) return;
  try {
    decodeManagedFields(after);
  } catch (error) {
    if (!(error instanceof ManagedFieldsError)) throw error;
    if (before === undefined) delete object.metadata.managedFields;
    else object.metadata.managedFields = before;
    warnings.warn(
      '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating ' +
        `admission controller; please fix your requests: ${error.message}`,
    );
  }
}
