import type { AdmissionOperation } from '@apiserver/apiserver-contracts';

const ALL: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
const CHANGES: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE'];
const WRITES: readonly AdmissionOperation[] = ['CREATE', 'UPDATE'];
const CREATES: readonly AdmissionOperation[] = ['CREATE'];
const UPDATES: readonly AdmissionOperation[] = ['UPDATE'];

/** The operations of the plugins that upstream does not call for creates and updates. */
const OPERATIONS: Readonly<Record<string, readonly AdmissionOperation[]>> = {
  AlwaysAdmit: ALL,
  NamespaceAutoProvision: CREATES,
  NamespaceLifecycle: CHANGES,
  NamespaceExists: CHANGES,
  NodeRestriction: CHANGES,
  TaintNodesByCondition: CREATES,
  PodNodeSelector: CREATES,
  Priority: CHANGES,
  DefaultStorageClass: CREATES,
  StorageObjectInUseProtection: CREATES,
  PodGroupProtection: CREATES,
  PersistentVolumeClaimResize: UPDATES,
  RuntimeClass: CREATES,
  CertificateApproval: UPDATES,
  CertificateSigning: UPDATES,
  CertificateSubjectRestriction: CREATES,
  DefaultIngressClass: CREATES,
  PodTopologyLabels: CREATES,
  PodGroupWorkloadExists: CREATES,
  NodeDeclaredFeatureValidator: UPDATES,
  JobValidation: UPDATES,
  PodResizeValidator: UPDATES,
  MutatingAdmissionPolicy: ALL,
  MutatingAdmissionWebhook: ALL,
  ValidatingAdmissionPolicy: ALL,
  ValidatingAdmissionWebhook: ALL,
  AlwaysDeny: ALL,
};

/**
 * The operations for which upstream calls a plugin, whatever the resource: its metrics count these calls.
 * Upstream: admission.NewHandler in each plugin
 */
export function calledOperations(plugin: string): readonly AdmissionOperation[] {
  return OPERATIONS[plugin] ?? WRITES;
}
