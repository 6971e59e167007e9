interface Unserved {
  readonly reason: string;
  /** By `group/version`. */
  readonly resources: Readonly<Record<string, readonly string[]>>;
}

const withStatus = (...names: readonly string[]) => names.flatMap((name) => [name, `${name}/status`]);

const UNSERVED_GROUPS: readonly Unserved[] = [
  {
    reason: 'alpha and beta kinds, which upstream does not serve by default',
    resources: {
      'certificates.k8s.io/v1alpha1': ['clustertrustbundles'],
      'certificates.k8s.io/v1beta1': ['clustertrustbundles', ...withStatus('podcertificaterequests')],
      'internal.apiserver.k8s.io/v1alpha1': withStatus('storageversions'),
      'resource.k8s.io/v1alpha3': withStatus('devicetaintrules', 'resourcepoolstatusrequests'),
      'resource.k8s.io/v1beta2': withStatus('devicetaintrules'),
      'scheduling.k8s.io/v1alpha2': [...withStatus('podgroups'), 'workloads'],
      'storagemigration.k8s.io/v1beta1': withStatus('storageversionmigrations'),
    },
  },
];

/** The resources of upstream that this server does not serve, each for its reason. One that is served has to leave the list. */
export const UNSERVED: readonly string[] = UNSERVED_GROUPS.flatMap(({ resources }) =>
  Object.entries(resources).flatMap(([groupVersion, names]) => names.map((name) => `${groupVersion}/${name}`)),
);
