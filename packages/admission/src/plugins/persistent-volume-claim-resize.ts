import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import type { StorageClass } from '@apiserver/api/storage/v1';
import { Quantity } from '@apiserver/apimachinery/values';
import type { AdmissionPlugin, Informer } from '@apiserver/apiserver-contracts';
import { storageClassOf } from '@apiserver/resource-kit';
import { admittedObject, storedObject } from '../admitted-object.js';
import { handlesMain } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { ViewReadiness } from '../view-readiness.js';

const STORAGE_CLASSES = { group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses' };

/**
 * Lets a claim grow only if it is bound and its storage class allows expansion.
 * Upstream: plugin/pkg/admission/storage/persistentvolume/resize
 */
export function persistentVolumeClaimResize({
  informer,
}: Pick<AdmissionPluginDependencies, 'informer'>): AdmissionPlugin {
  const classes = informer<StorageClass>(STORAGE_CLASSES);
  const view = new ViewReadiness(classes);
  return {
    name: 'PersistentVolumeClaimResize',
    handles: handlesMain({ group: '', resource: 'persistentvolumeclaims' }, 'UPDATE'),
    async validate(attributes) {
      const claim = admittedObject<PersistentVolumeClaim>(attributes);
      const old = storedObject<PersistentVolumeClaim>(attributes);
      if (old === undefined || sizeOf(claim).compare(sizeOf(old)) <= 0) return;
      if (old.status?.phase !== 'Bound') {
        throw newAdmissionForbidden(attributes, 'Only bound persistent volume claims can be expanded');
      }
      await view.ready(attributes);
      if (mayGrow(claim, old, classes)) return;
      const fault =
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
      throw newAdmissionForbidden(attributes, fault);
    },
  };
}

function sizeOf({ spec }: PersistentVolumeClaim): Quantity {
  return Quantity.parse(spec.resources?.requests?.['storage'] ?? '0');
}

function mayGrow(claim: PersistentVolumeClaim, old: PersistentVolumeClaim, classes: Informer<StorageClass>): boolean {
  const name = storageClassOf(claim);
  return name !== '' && name === storageClassOf(old) && (classes.get('', name)?.allowVolumeExpansion ?? false);
}
