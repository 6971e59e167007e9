import type { FullObject } from '../full-object.js';

const CONTAINERS = [{ name: 'c', image: 'i' }];
const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_OF_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/c';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/c';
const MIRROR = 'kubernetes.io/config.mirror';
const localhost = { type: 'Localhost', localhostProfile: 'p' };

const pod = (name: string, spec: object, more: Partial<FullObject> = {}): FullObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name,
  onlyCreated: true,
  below: 'spec',
  ...more,
  fields: { spec: { containers: CONTAINERS, ...spec } },
});

/** Annotations with rules, each with the fields that must agree with it. */
const ANNOTATED: readonly (readonly [annotations: Readonly<Record<string, string>>, spec?: object])[] = [
  [{ [MIRROR]: 'm' }],
  [{ [MIRROR]: 'm' }, { nodeName: 'n', resourceClaims: [{ name: 'c', resourceClaimName: 'c' }] }],
  [{ [MIRROR]: 'm' }, { nodeName: 'n', ephemeralContainers: [{ name: 'e', image: 'i' }] }],
  [{ 'controller.kubernetes.io/pod-deletion-cost': '2147483648' }],
  [{ 'controller.kubernetes.io/pod-deletion-cost': '-2147483648' }],
  ...[
    'runtime/default',
    'docker/default',
    'unconfined',
    'localhost/p',
    'localhost//p',
    'localhost/../p',
    'near',
  ].flatMap((profile) => [
    [{ [SECCOMP]: profile, [SECCOMP_OF_CONTAINER]: profile }] as const,
    ...['RuntimeDefault', 'Unconfined', 'Localhost'].map((type) => {
      const seccompProfile = type === 'Localhost' ? localhost : { type };
      return [
        { [SECCOMP]: profile, [SECCOMP_OF_CONTAINER]: profile },
        {
          securityContext: { seccompProfile },
          containers: [{ ...CONTAINERS[0], securityContext: { seccompProfile } }],
        },
      ] as const;
    }),
  ]),
  ...['runtime/default', 'unconfined', 'localhost/p', 'localhost/', 'near', ''].flatMap((profile) => [
    [{ [APP_ARMOR]: profile }] as const,
    ...['RuntimeDefault', 'Unconfined', 'Localhost'].map((type) => {
      const appArmorProfile = type === 'Localhost' ? localhost : { type };
      return [
        { [APP_ARMOR]: profile },
        { containers: [{ ...CONTAINERS[0], securityContext: { appArmorProfile } }] },
      ] as const;
    }),
  ]),
  [{ 'container.apparmor.security.beta.kubernetes.io/nothing': 'unconfined' }],
  [{ [APP_ARMOR]: 'unconfined' }, { os: { name: 'windows' } }],
  [{ [APP_ARMOR]: 'unconfined' }, { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }],
  [{ 'scheduler.alpha.kubernetes.io/critical-pod': '', 'security.alpha.kubernetes.io/sysctls': 'a=b' }],
  [{ 'security.alpha.kubernetes.io/unsafe-sysctls': 'a=b', 'pod.beta.kubernetes.io/init-containers': '[]' }],
];

/** All faults of the annotations of pods and of templates. */
const annotated: readonly FullObject[] = ANNOTATED.flatMap(([annotations, spec], i) => [
  pod('annotated', { ...spec }, { annotations, title: String(i), below: 'nothing', onlyCreated: false }),
  {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    name: 'annotated',
    title: String(i),
    below: 'nothing',
    fields: { template: { metadata: { annotations }, spec: { containers: CONTAINERS, ...spec } } },
  },
]);

const WINDOWS = {
  gmsaCredentialSpecName: 'g',
  gmsaCredentialSpec: 's',
  runAsUserName: 'NT AUTHORITY\\user',
  hostProcess: false,
};
const RESOURCES = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } };
const RESIZED = {
  containers: [
    {
      ...CONTAINERS[0],
      resources: RESOURCES,
      resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
    },
    { name: 'd', image: 'i', resources: { requests: { 'ephemeral-storage': '1Gi' } } },
  ],
  initContainers: [
    { name: 'i', image: 'i', restartPolicy: 'Always', resources: RESOURCES },
    {
      name: 'j',
      image: 'i',
      resources: RESOURCES,
      resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }],
    },
  ],
};
const resized = (changes: object) => ({ ...RESIZED.containers[0], ...changes });
const initialised = (changes: object) => [{ ...RESIZED.initContainers[0], ...changes }, RESIZED.initContainers[1]];
const RESIZES = [
  {
    'spec.containers': [
      resized({ resources: { ...RESOURCES, requests: { cpu: '1500m', memory: '1Gi' } } }),
      RESIZED.containers[1],
    ],
  },
  { 'spec.containers': [resized({ resources: { ...RESOURCES, requests: { cpu: '1' } } }), RESIZED.containers[1]] },
  { 'spec.containers': [resized({ resources: { requests: RESOURCES.requests } }), RESIZED.containers[1]] },
  {
    'spec.containers': [
      resized({ resources: { requests: RESOURCES.limits, limits: RESOURCES.limits } }),
      RESIZED.containers[1],
    ],
  },
  {
    'spec.containers': [
      resized({ resources: { ...RESOURCES, requests: { cpu: '1000m', memory: '1024Mi' } } }),
      RESIZED.containers[1],
    ],
  },
  {
    'spec.containers': [
      RESIZED.containers[0],
      { ...RESIZED.containers[1], resources: { requests: { 'ephemeral-storage': '2Gi' } } },
    ],
  },
  { 'spec.containers': [RESIZED.containers[0], { ...RESIZED.containers[1], resources: { requests: { cpu: '1' } } }] },
  { 'spec.containers': [resized({ image: 'other' }), RESIZED.containers[1]] },
  { 'spec.containers': [RESIZED.containers[0]] },
  { 'spec.containers': [...RESIZED.containers, { name: 'e', image: 'i' }] },
  { 'spec.initContainers': initialised({ resources: { ...RESOURCES, requests: { cpu: '1500m', memory: '1Gi' } } }) },
  { 'spec.initContainers': initialised({ image: 'other' }) },
  { 'spec.initContainers': initialised({ resources: { ...RESOURCES, requests: { cpu: '1' } } }) },
  {
    'spec.initContainers': [
      RESIZED.initContainers[0],
      {
        ...RESIZED.initContainers[1],
        resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '3', memory: '2Gi' } },
      },
    ],
  },
  { 'spec.nodeSelector': { a: 'b' } },
  { 'spec.resources': { requests: { cpu: '8', memory: '8Gi' } } },
];
const EPHEMERAL = { name: 'e', image: 'i', targetContainerName: 'c', env: [{ name: 'A', value: 'b' }], stdin: true };
const DEPRECATED = ['beta.kubernetes.io/os', 'beta.kubernetes.io/arch', 'failure-domain.beta.kubernetes.io/zone'];
const deprecated = DEPRECATED.map((key) => ({ key, operator: 'In', values: ['a', 'Not Valid!'] }));
const TERM = { topologyKey: 'zone' };

export const podVariants: readonly FullObject[] = [
  ...annotated,
  ...[-1, 10].map((grace) =>
    pod(
      'grace',
      { terminationGracePeriodSeconds: grace },
      {
        title: String(grace),
        onlyCreated: false,
        below: 'spec.terminationGracePeriodSeconds',
        also: [
          { 'spec.terminationGracePeriodSeconds': 1 },
          ...[9, 10, 11].map((seconds) => ({
            'spec.containers': [{ ...CONTAINERS[0], lifecycle: { preStop: { sleep: { seconds } } } }],
          })),
        ],
      },
    ),
  ),
  pod(
    'amounts',
    {
      containers: [{ ...CONTAINERS[0], resources: { limits: { 'hugepages-2Mi': '2Mi', cpu: '1', memory: '1' } } }],
      volumes: [
        {
          name: 'v',
          downwardAPI: {
            items: ['limits.cpu', 'requests.hugepages-2Mi', 'limits.hugepages-1Gi', 'limits.hugepages', 'near'].flatMap(
              (resource) =>
                ['0', '1', '1m', '1Ki', '7'].map((divisor, i) => ({
                  path: `${resource}-${i}`,
                  resourceFieldRef: { containerName: 'c', resource, divisor },
                })),
            ),
          },
        },
      ],
    },
    {
      below: 'nothing',
      also: [
        { 'spec.containers': [{ ...CONTAINERS[0], resources: { limits: { 'hugepages-2Mi': '3Mi', cpu: '1' } } }] },
        { 'spec.containers': [{ ...CONTAINERS[0], resources: { limits: { 'hugepages-0': '3Mi', cpu: '1' } } }] },
        { 'spec.containers': [{ ...CONTAINERS[0], resources: { limits: { 'hugepages-2Mi': '2Mi' } } }] },
        {
          'spec.resources': { requests: { cpu: '1' } },
          'spec.initContainers': [
            { name: 'i', image: 'i', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } },
            { name: 'j', image: 'i', resources: { requests: { cpu: '3' } } },
          ],
        },
      ],
    },
  ),
  pod('windows', {
    os: { name: 'windows' },
    containers: [{ ...CONTAINERS[0], securityContext: { windowsOptions: WINDOWS } }],
    initContainers: [{ name: 'i', image: 'i', securityContext: { windowsOptions: { hostProcess: false } } }],
    securityContext: { windowsOptions: WINDOWS },
  }),
  pod(
    'host-process',
    { os: { name: 'windows' }, hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } },
    {
      below: 'spec.securityContext',
      also: [
        { 'spec.hostNetwork': false },
        { 'spec.containers': [{ ...CONTAINERS[0], securityContext: { windowsOptions: { hostProcess: false } } }] },
      ],
    },
  ),
  pod('resized', RESIZED, { onlyCreated: false, subresources: ['resize'], below: 'nothing', also: RESIZES }),
  pod(
    'resized-whole',
    { ...RESIZED, resources: { requests: { cpu: '8', memory: '8Gi' }, limits: { cpu: '9', memory: '9Gi' } } },
    {
      onlyCreated: false,
      subresources: ['resize'],
      below: 'spec.resources',
      also: [
        { 'spec.resources': { requests: { cpu: '9', memory: '8Gi' }, limits: { cpu: '9', memory: '9Gi' } } },
        { 'spec.resources': { requests: { cpu: '8000m', memory: '8Gi' }, limits: { cpu: '9', memory: '9Gi' } } },
        { 'spec.resources': { requests: { cpu: '8', memory: '8Gi' } } },
        { 'spec.resources': { requests: { cpu: '1', memory: '8Gi' }, limits: { cpu: '9', memory: '9Gi' } } },
        { 'spec.resources': { requests: { cpu: '2', memory: '8Gi' }, limits: { cpu: '1', memory: '9Gi' } } },
        { 'spec.resources': undefined },
      ],
    },
  ),
  ...[{ os: { name: 'windows' } }, {}].map((spec, i) =>
    pod(
      'resized-never',
      { ...spec, nodeName: 'n' },
      {
        onlyCreated: false,
        subresources: ['resize'],
        below: 'nothing',
        title: String(i),
        annotations: i === 0 ? {} : { [MIRROR]: 'm' },
        also: [{ 'spec.containers': [{ ...CONTAINERS[0], resources: RESOURCES }] }],
      },
    ),
  ),
  {
    apiVersion: 'v1',
    kind: 'Pod',
    name: 'resized-while-running',
    below: 'nothing',
    subresources: ['resize'],
    fields: {
      spec: { containers: CONTAINERS },
      status: {
        qosClass: 'BestEffort',
        containerStatuses: [
          { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, state: { running: { startedAt: null } } },
        ],
      },
    },
    also: [{ 'spec.containers': [{ ...CONTAINERS[0], resources: RESOURCES }] }],
  },
  pod(
    'ephemeral-container',
    { ephemeralContainers: [EPHEMERAL] },
    {
      onlyCreated: false,
      subresources: ['ephemeralcontainers'],
      below: 'spec.ephemeralContainers',
      also: [
        { 'spec.ephemeralContainers': [EPHEMERAL, { ...EPHEMERAL, name: 'f' }] },
        { 'spec.ephemeralContainers': [EPHEMERAL, { ...EPHEMERAL, name: 'c' }] },
        { 'spec.ephemeralContainers': [EPHEMERAL, { ...EPHEMERAL, name: 'f', targetContainerName: 'nothing' }] },
        { 'spec.ephemeralContainers': [{ ...EPHEMERAL, name: 'f' }] },
        { 'spec.ephemeralContainers': [{ ...EPHEMERAL, image: 'other' }] },
        { 'spec.ephemeralContainers': undefined },
      ],
    },
  ),
  pod(
    'files-of-variables',
    {
      containers: [
        {
          ...CONTAINERS[0],
          env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'K', optional: true } } }],
        },
      ],
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'w', hostPath: { path: '/p' } },
      ],
    },
    { below: 'spec.containers[0].env', also: [{ 'spec.volumes': [{ name: 'v', hostPath: { path: '/p' } }] }] },
  ),
  pod(
    'host-network',
    {
      hostNetwork: true,
      containers: [
        { ...CONTAINERS[0], ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 81, hostIP: '10.0.0.1' }] },
      ],
      initContainers: [{ name: 'i', image: 'i', restartPolicy: 'Always', ports: [{ containerPort: 82, name: 'a' }] }],
    },
    {
      below: 'spec.containers[0].ports',
      also: [
        { 'spec.hostNetwork': false, 'spec.hostPID': true },
        { 'spec.hostNetwork': true, 'spec.hostUsers': false },
        { 'spec.dnsPolicy': 'ClusterFirstWithHostNet' },
        {
          'spec.initContainers': [
            { name: 'i', image: 'i', restartPolicy: 'Always', ports: [{ containerPort: 80, hostPort: 80 }] },
          ],
        },
        { 'spec.initContainers': [{ name: 'i', image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] }] },
        { 'spec.containers': [{ ...CONTAINERS[0], ports: [{ containerPort: 80, hostPort: 79 }] }] },
        {
          'spec.hostNetwork': false,
          'spec.containers': ['a', 'b'].map((name) => ({
            name,
            image: 'i',
            ports: [{ containerPort: 80, hostPort: 80 }],
          })),
        },
        {
          'spec.hostNetwork': false,
          'spec.containers': ['a', 'b'].map((name) => ({ name, image: 'i', ports: [{ containerPort: 80 }] })),
        },
        {
          'spec.hostNetwork': false,
          'spec.containers': ['a', 'b'].map((name) => ({ name, image: 'i', ports: [{ containerPort: 80, name }] })),
        },
      ],
    },
  ),
  pod(
    'warned',
    {
      nodeSelector: Object.fromEntries(DEPRECATED.map((key) => [key, 'a'])),
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: deprecated }] },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: deprecated } },
          ],
        },
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [TERM],
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: TERM }],
        },
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [TERM] },
      },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: DEPRECATED[2], whenUnsatisfiable: 'DoNotSchedule' }],
      imagePullSecrets: [{}, { name: 's' }, { name: 's' }],
      overhead: { memory: '100m', cpu: '100m' },
      terminationGracePeriodSeconds: -1,
      hostAliases: ['10.0.0.1', '10.0.0.1', '10.0.0.2'].map((ip) => ({ ip, hostnames: ['h'] })),
      containers: [
        {
          ...CONTAINERS[0],
          resources: { requests: { memory: '1500m', 'ephemeral-storage': '500m' }, limits: { memory: '2500m' } },
          env: ['a', '$(A)', '$(A)b', 'c'].map((value) => ({ name: 'A', value })),
        },
      ],
      volumes: [
        { name: 's', secret: { secretName: 's', items: ['a', 'a/b', 'c'].map((path) => ({ key: path, path })) } },
        { name: 'm', configMap: { name: 'm', items: ['a', 'a', 'a/../a'].map((path) => ({ key: 'k', path })) } },
        {
          name: 'p',
          projected: {
            sources: [
              { secret: { name: 's', items: [{ key: 'k', path: 'token' }] } },
              { serviceAccountToken: { path: 'token' } },
              {
                downwardAPI: {
                  items: ['token/a', 'b'].map((path) => ({ path, fieldRef: { fieldPath: 'metadata.name' } })),
                },
              },
              { clusterTrustBundle: { name: 'b', path: 'b' } },
            ],
          },
        },
        {
          name: 'e',
          ephemeral: {
            volumeClaimTemplate: {
              metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 's' } },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '500m' } } },
            },
          },
        },
      ],
    },
    { below: 'nothing' },
  ),
];
