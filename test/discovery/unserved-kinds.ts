interface Unserved {
  readonly reason: string;
  /** By `group/version`. */
  readonly resources: Readonly<Record<string, readonly string[]>>;
}

const withStatus = (...names: readonly string[]) => names.flatMap((name) => [name, `${name}/status`]);

const UNSERVED_GROUPS: readonly Unserved[] = [
  {
    reason: 'kinds of features that are off by default, as upstream',
    resources: {
      'certificates.k8s.io/v1alpha1': ['clustertrustbundles'],
      'certificates.k8s.io/v1beta1': ['clustertrustbundles', ...withStatus('podcertificaterequests')],
      'scheduling.k8s.io/v1alpha2': [...withStatus('podgroups'), 'workloads'],
      'storagemigration.k8s.io/v1beta1': withStatus('storageversionmigrations'),
    },
  },
];

/**
 * The resources of upstream that a server with every version and the default feature gates does not serve, each for its
 * reason. One that is served has to leave the list.
 */
export const UNSERVED: readonly string[] = UNSERVED_GROUPS.flatMap(({ resources }) =>
  Object.entries(resources).flatMap(([groupVersion, names]) => names.map((name) => `${groupVersion}/${name}`)),
);
