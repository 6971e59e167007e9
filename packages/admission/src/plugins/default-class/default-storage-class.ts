import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import type { StorageClass } from '@apiserver/api/storage/v1';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { STORAGE_CLASS_ANNOTATION } from '@apiserver/resource-kit';
import { admittedObject } from '../../admitted-object.js';
import { handlesMain } from '../../endpoint.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import { ViewReadiness } from '../../view-readiness.js';
import { newestDefault } from './newest-default.js';

const STORAGE_CLASSES = { group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses' };
const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/**
 * Sets the default storage class on a claim without one. The class "" requests none.
 * Upstream: plugin/pkg/admission/storage/storageclass/setdefault
 */
export function defaultStorageClass({ informer }: Pick<AdmissionPluginDependencies, 'informer'>): AdmissionPlugin {
  const classes = informer<StorageClass>(STORAGE_CLASSES);
  const view = new ViewReadiness(classes);
  return {
    name: 'DefaultStorageClass',
    handles: handlesMain({ group: '', resource: 'persistentvolumeclaims' }, 'CREATE'),
    async admit(attributes) {
      const { metadata, spec } = admittedObject<PersistentVolumeClaim>(attributes);
      if (spec.storageClassName !== undefined || metadata.annotations?.[STORAGE_CLASS_ANNOTATION] !== undefined) return;
      await view.ready(attributes);
      const name = newestDefault(classes.list(), DEFAULT_ANNOTATIONS)?.metadata.name;
      if (name !== undefined) spec.storageClassName = name;
    },
  };
}
