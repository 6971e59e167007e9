import type { RunController } from './controller.js';

/** One controller as `--controllers` names it. */
interface ListedController {
  /** Upstream: cmd/kube-controller-manager/names */
  readonly name: string;
  /** The name before 1.28. */
  readonly alias?: string;
  /** False: `*` does not enable it. */
  readonly byDefault: boolean;
  load(): Promise<RunController>;
}

/** All controllers. Each is loaded when it first runs. */
export const controllerList: readonly ListedController[] = [
  {
    name: 'namespace-controller',
    alias: 'namespace',
    byDefault: true,
    load: async () => (await import('./namespace/namespace-controller.js')).runNamespaceController,
  },
  {
    name: 'garbage-collector-controller',
    alias: 'garbagecollector',
    byDefault: true,
    load: async () => (await import('./garbage-collector/garbage-collector-controller.js')).runGarbageCollector,
  },
  {
    name: 'serviceaccount-controller',
    alias: 'serviceaccount',
    byDefault: true,
    load: async () => (await import('./service-account/service-account-controller.js')).runServiceAccountController,
  },
  {
    name: 'serviceaccount-token-controller',
    alias: 'serviceaccount-token',
    byDefault: true,
    load: async () =>
      (await import('./service-account/service-account-token-controller.js')).runServiceAccountTokenController,
  },
  {
    name: 'root-ca-certificate-publisher-controller',
    alias: 'root-ca-cert-publisher',
    byDefault: true,
    load: async () =>
      (await import('./root-ca-certificate/root-ca-certificate-publisher.js')).runRootCACertificatePublisher,
  },
  {
    name: 'resourcequota-controller',
    alias: 'resourcequota',
    byDefault: true,
    load: async () => (await import('./resource-quota/resource-quota-controller.js')).runResourceQuotaController,
  },
  {
    name: 'ttl-after-finished-controller',
    alias: 'ttl-after-finished',
    byDefault: true,
    load: async () => (await import('./ttl-after-finished/ttl-after-finished-controller.js')).runTtlAfterFinished,
  },
  {
    name: 'persistentvolumeclaim-protection-controller',
    alias: 'pvc-protection',
    byDefault: true,
    load: async () => (await import('./volume-protection/volume-claim-protection.js')).runVolumeClaimProtection,
  },
  {
    name: 'persistentvolume-protection-controller',
    alias: 'pv-protection',
    byDefault: true,
    load: async () => (await import('./volume-protection/volume-protection.js')).runVolumeProtection,
  },
  {
    name: 'volumeattributesclass-protection-controller',
    byDefault: true,
    load: async () =>
      (await import('./volume-protection/volume-attributes-class-protection.js')).runVolumeAttributesClassProtection,
  },
  {
    name: 'podgroup-protection-controller',
    byDefault: true,
    load: async () => (await import('./pod-group-protection/pod-group-protection.js')).runPodGroupProtection,
  },
  {
    name: 'legacy-serviceaccount-token-cleaner-controller',
    alias: 'legacy-service-account-token-cleaner',
    byDefault: true,
    load: async () => (await import('./service-account/legacy-token-cleaner.js')).runLegacyTokenCleaner,
  },
  {
    name: 'service-cidr-controller',
    byDefault: true,
    load: async () => (await import('./service-cidr/service-cidr-controller.js')).runServiceCIDRController,
  },
  {
    name: 'bootstrap-signer-controller',
    alias: 'bootstrapsigner',
    byDefault: false,
    load: async () => (await import('./bootstrap/bootstrap-signer.js')).runBootstrapSigner,
  },
  {
    name: 'token-cleaner-controller',
    alias: 'tokencleaner',
    byDefault: false,
    load: async () => (await import('./bootstrap/token-cleaner.js')).runTokenCleaner,
  },
];
