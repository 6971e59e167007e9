import type { FullObject } from '../full-object.js';

const PROBE = {
  initialDelaySeconds: 1,
  timeoutSeconds: 1,
  periodSeconds: 1,
  successThreshold: 1,
  failureThreshold: 1,
  terminationGracePeriodSeconds: 1,
};
const HEADERS = [{ name: 'X-A', value: 'b' }];
const SELINUX = { user: 'u', role: 'r', type: 't', level: 's0' };
const SECURITY = {
  runAsUser: 1,
  runAsGroup: 1,
  runAsNonRoot: true,
  seLinuxOptions: SELINUX,
  seccompProfile: { type: 'Localhost', localhostProfile: 'p' },
  appArmorProfile: { type: 'Localhost', localhostProfile: 'p' },
};
const CONTAINER = {
  name: 'c',
  image: 'i',
  command: ['a'],
  args: ['b'],
  workingDir: '/w',
  imagePullPolicy: 'Always',
  stdin: true,
  terminationMessagePath: '/t',
  terminationMessagePolicy: 'File',
  restartPolicy: undefined,
  ports: [{ name: 'web', containerPort: 80, hostPort: 8080, protocol: 'TCP', hostIP: '10.0.0.1' }],
  env: [
    { name: 'A', value: 'b' },
    { name: 'B', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'C', valueFrom: { resourceFieldRef: { containerName: 'c', resource: 'limits.cpu', divisor: '1' } } },
    { name: 'D', valueFrom: { configMapKeyRef: { name: 'm', key: 'k', optional: true } } },
    { name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
  ],
  envFrom: [{ prefix: 'P_', configMapRef: { name: 'm' } }, { secretRef: { name: 's' } }],
  resources: {
    limits: { cpu: '2', memory: '2Gi', 'example.com/a': '1' },
    requests: { cpu: '1', memory: '1Gi', 'example.com/a': '1' },
    claims: [{ name: 'claim', request: 'r' }],
  },
  resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
  volumeMounts: [
    { name: 'empty', mountPath: '/empty', subPath: 'a', readOnly: true, mountPropagation: 'None' },
    { name: 'map', mountPath: '/map', subPathExpr: '$(A)', readOnly: true, recursiveReadOnly: 'IfPossible' },
  ],
  volumeDevices: [{ name: 'disk', devicePath: '/dev/a' }],
  livenessProbe: { ...PROBE, httpGet: { path: '/p', port: 'web', host: 'h', scheme: 'HTTP', httpHeaders: HEADERS } },
  readinessProbe: { ...PROBE, terminationGracePeriodSeconds: undefined, tcpSocket: { port: 80, host: 'h' } },
  startupProbe: { ...PROBE, exec: { command: ['a'] } },
  lifecycle: { postStart: { exec: { command: ['a'] } }, preStop: { sleep: { seconds: 1 } }, stopSignal: 'SIGTERM' },
  securityContext: {
    ...SECURITY,
    privileged: false,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    procMount: 'Default',
    capabilities: { add: ['A'], drop: ['B'] },
  },
};

const TERM = {
  labelSelector: { matchLabels: { a: 'b' } },
  namespaceSelector: { matchLabels: { a: 'b' } },
  namespaces: ['ns'],
  topologyKey: 'zone',
  matchLabelKeys: ['app'],
  mismatchLabelKeys: ['tier'],
};
const NODE_TERM = {
  matchExpressions: [
    { key: 'a', operator: 'In', values: ['b'] },
    { key: 'c', operator: 'Gt', values: ['1'] },
  ],
  matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }],
};
const AFFINITY = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [NODE_TERM] },
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: NODE_TERM }],
  },
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [TERM],
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: TERM }],
  },
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [TERM] },
};
const SPREAD = {
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { a: 'b' } },
  minDomains: 2,
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: ['app'],
};
const TOLERATIONS = [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 1 }];
const ITEMS = [{ key: 'k', path: 'p', mode: 0o400 }];
const FIELD_ITEMS = [
  { path: 'a', fieldRef: { fieldPath: 'metadata.labels' }, mode: 0o400 },
  { path: 'b', resourceFieldRef: { containerName: 'c', resource: 'limits.cpu' } },
];
const VOLUMES = [
  { name: 'empty', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
  { name: 'map', configMap: { name: 'm', defaultMode: 0o400, items: ITEMS } },
  { name: 'disk', persistentVolumeClaim: { claimName: 'c' } },
  { name: 'secret', secret: { secretName: 's', defaultMode: 0o400, items: ITEMS } },
  { name: 'fields', downwardAPI: { defaultMode: 0o400, items: FIELD_ITEMS } },
  {
    name: 'projected',
    projected: {
      defaultMode: 0o400,
      sources: [
        { secret: { name: 's', items: [{ key: 'k', path: 'x' }] } },
        { configMap: { name: 'm', items: [{ key: 'k', path: 'y' }] } },
        { downwardAPI: { items: [{ path: 'z', fieldRef: { fieldPath: 'metadata.name' } }] } },
        { serviceAccountToken: { audience: 'a', expirationSeconds: 600, path: 'token' } },
        { clusterTrustBundle: { name: 'b', path: 'bundle' } },
        {
          clusterTrustBundle: {
            signerName: 'example.com/s',
            path: 'bundles',
            optional: true,
            labelSelector: { matchLabels: { a: 'b' } },
          },
        },
        {
          podCertificate: {
            signerName: 'example.com/s',
            keyType: 'ED25519',
            maxExpirationSeconds: 3600,
            keyPath: 'key',
            credentialBundlePath: 'credentials',
            certificateChainPath: 'chain',
            userAnnotations: { 'example.com/a': 'b' },
          },
        },
      ],
    },
  },
];
const POD = {
  containers: [CONTAINER],
  volumes: VOLUMES,
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  activeDeadlineSeconds: 60,
  dnsPolicy: 'ClusterFirst',
  nodeSelector: { a: 'b' },
  serviceAccountName: 's',
  automountServiceAccountToken: true,
  hostname: 'h',
  subdomain: 's',
  schedulerName: 'x',
  setHostnameAsFQDN: true,
  imagePullSecrets: [{ name: 's' }],
  affinity: AFFINITY,
  tolerations: TOLERATIONS,
  enableServiceLinks: true,
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['h.example.com'] }],
  runtimeClassName: 'r',
  preemptionPolicy: 'Never',
  priorityClassName: 'p',
  topologySpreadConstraints: [SPREAD],
  readinessGates: [{ conditionType: 'example.com/g' }],
  schedulingGates: [{ name: 'example.com/g' }],
  os: { name: 'linux' },
  hostUsers: true,
  shareProcessNamespace: true,
  initContainers: [{ name: 'i', image: 'i', restartPolicy: 'Always' }],
  dnsConfig: { nameservers: ['10.0.0.1'], searches: ['a.example.com'], options: [{ name: 'ndots', value: '1' }] },
  resourceClaims: [
    { name: 'claim', resourceClaimName: 'c' },
    { name: 'other', resourceClaimTemplateName: 't' },
  ],
  securityContext: {
    ...SECURITY,
    supplementalGroups: [1],
    supplementalGroupsPolicy: 'Merge',
    fsGroup: 1,
    fsGroupChangePolicy: 'Always',
    sysctls: [{ name: 'kernel.shm_rmid_forced', value: '1' }],
    seLinuxChangePolicy: 'Recursive',
  },
};
const CONTAINERS = [{ name: 'c', image: 'i' }];
const STATUS = {
  name: 'c',
  image: 'i',
  imageID: 'i',
  ready: true,
  restartCount: 1,
  started: true,
  containerID: 'x://y',
  state: { running: { startedAt: '2030-01-01T00:00:00Z' } },
  allocatedResources: { cpu: '1' },
  resources: { limits: { cpu: '1' } },
};
/** Sources of volumes that clusters have outside of pods. */
const SOURCES: Readonly<Record<string, object>> = {
  awsElasticBlockStore: { volumeID: 'v', partition: 1 },
  azureDisk: {
    diskName: 'd',
    diskURI: '/subscriptions/s/resourcegroups/g/providers/microsoft.compute/disks/d',
    kind: 'Managed',
    cachingMode: 'None',
  },
  azureFile: { secretName: 's', shareName: 'd' },
  cephfs: { monitors: ['m'], path: '/p' },
  cinder: { volumeID: 'v', secretRef: { name: 's' } },
  csi: { driver: 'd.example.com', nodePublishSecretRef: { name: 's' } },
  ephemeral: {
    volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  },
  fc: { targetWWNs: ['w'], lun: 1 },
  flexVolume: { driver: 'example.com/d', options: { a: 'b' } },
  flocker: { datasetName: 'd' },
  gcePersistentDisk: { pdName: 'p', partition: 1 },
  gitRepo: { repository: 'r', directory: 'd' },
  glusterfs: { endpoints: 'e', path: '/p' },
  hostPath: { path: '/p', type: 'Directory' },
  image: { reference: 'i', pullPolicy: 'Always' },
  iscsi: {
    targetPortal: '10.0.0.1:1',
    iqn: 'iqn.2001-04.com.example:a',
    lun: 1,
    initiatorName: 'iqn.2001-04.com.example:b',
  },
  nfs: { server: 's', path: '/p' },
  photonPersistentDisk: { pdID: 'p' },
  portworxVolume: { volumeID: 'v' },
  quobyte: { registry: 'r:1', volume: 'v', tenant: 't' },
  rbd: { monitors: ['m'], image: 'i' },
  scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: { name: 's' } },
  storageos: { volumeName: 'v', volumeNamespace: 'n' },
  vsphereVolume: { volumePath: 'v' },
};
/** A pod of which the values below a path change. */
const below = (path: string, name: string, spec: object, more: Partial<FullObject> = {}): FullObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name,
  labels: { app: 'a', tier: 't' },
  below: path,
  onlyCreated: true,
  ...more,
  fields: { spec: { containers: CONTAINERS, ...spec } },
});
const { containers, volumes, affinity, topologySpreadConstraints, securityContext, initContainers, ...others } = POD;
const { livenessProbe, readinessProbe, startupProbe, lifecycle, ...container } = CONTAINER;
const { securityContext: security, env, envFrom, resources, volumeMounts, volumeDevices, ...plain } = container;
const inContainer = (fields: object) => ({ containers: [{ name: 'c', image: 'i', ...fields }] });

/** A pod for each part, because the cost of a change grows with the object. */
export const pods: readonly FullObject[] = [
  below('spec', 'plain', others, {
    onlyCreated: false,
    also: [
      { 'spec.activeDeadlineSeconds': 30 },
      { 'spec.tolerations': [...TOLERATIONS, { key: 'c', operator: 'Exists' }] },
      { 'spec.nodeSelector': { a: 'b', c: 'd' } },
      { 'spec.schedulingGates': [] },
      { 'spec.hostNetwork': true },
      { 'spec.os': { name: 'windows' } },
      { 'spec.restartPolicy': 'Never' },
      { 'spec.dnsPolicy': 'None', 'spec.dnsConfig': undefined },
    ],
  }),
  below('spec.containers[0]', 'container', inContainer(plain)),
  below('spec.containers[0].env', 'environment', inContainer({ env, envFrom })),
  below(
    'spec.containers[0]',
    'probes',
    inContainer({ ports: plain.ports, livenessProbe, readinessProbe, startupProbe, lifecycle }),
  ),
  below('spec.containers[0].resources', 'resources', {
    ...inContainer({ resources }),
    resourceClaims: others.resourceClaims,
  }),
  below('spec.containers[0].volume', 'mounts', { ...inContainer({ volumeMounts, volumeDevices }), volumes }),
  below('spec.containers[0].securityContext', 'security', inContainer({ securityContext: security })),
  below('spec.securityContext', 'pod-security', { securityContext }),
  below('spec.initContainers', 'init', { initContainers }),
  below('spec.affinity', 'affinity', { affinity }),
  below('spec.topologySpreadConstraints', 'spread', { topologySpreadConstraints }),
  below(
    'spec.volumes',
    'volumes',
    { volumes },
    { skipped: volumes.flatMap((_, i) => Object.keys(SOURCES).map((source) => `spec.volumes[${i}].${source}`)) },
  ),
  ...Object.entries(SOURCES).map(([source, value]) =>
    below(
      `spec.volumes[0].${source}`,
      'sources',
      { volumes: [{ name: 'v', [source]: value }] },
      {
        title: source,
        also: [{ 'spec.volumes': [{ name: 'v', [source]: value, emptyDir: {} }] }],
      },
    ),
  ),
  {
    apiVersion: 'v1',
    kind: 'Pod',
    name: 'status',
    below: 'status',
    fields: {
      spec: {
        containers: CONTAINERS,
        initContainers: [{ name: 'i', image: 'i', restartPolicy: 'Always' }],
        resourceClaims: others.resourceClaims,
      },
      status: {
        phase: 'Running',
        hostIP: '10.0.0.1',
        podIP: '10.0.0.2',
        podIPs: [{ ip: '10.0.0.2' }, { ip: 'fd00::2' }],
        hostIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }],
        qosClass: 'BestEffort',
        nominatedNodeName: 'n',
        conditions: [{ type: 'Ready', status: 'True' }],
        observedGeneration: 1,
        containerStatuses: [STATUS],
        initContainerStatuses: [{ ...STATUS, name: 'i' }],
        resourceClaimStatuses: [{ name: 'other', resourceClaimName: 'c' }],
      },
    },
    also: [
      { 'status.containerStatuses': [{ ...STATUS, state: { terminated: { exitCode: 1 } } }] },
      { 'status.podIPs': [{ ip: '10.0.0.2' }, { ip: '10.0.0.3' }] },
      { 'status.hostIPs': [{ ip: '10.0.0.2' }] },
      { 'status.resourceClaimStatuses': [{ name: 'nothing', resourceClaimName: 'c' }] },
      { 'status.resourceClaimStatuses': [{ name: 'claim', resourceClaimName: 'c' }] },
    ],
  },
];
