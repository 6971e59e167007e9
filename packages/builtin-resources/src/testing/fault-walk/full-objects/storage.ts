import type { FullObject } from '../full-object.js';

const storage = 'storage.k8s.io/v1';
const TOPOLOGIES = [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }];
const SNAPSHOT = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
const MODIFY = { targetVolumeAttributesClassName: 'gold', status: 'Pending' };

const VOLUME = {
  accessModes: ['ReadWriteOnce'],
  capacity: { storage: '1Gi' },
  persistentVolumeReclaimPolicy: 'Retain',
  storageClassName: 'fast',
  volumeMode: 'Filesystem',
  mountOptions: ['ro'],
  claimRef: { namespace: 'ns', name: 'c', uid: 'u' },
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
  },
};
const secretRef = { name: 's', namespace: 'ns' };

/** One source of a volume each. */
const SOURCES: Readonly<Record<string, object>> = {
  awsElasticBlockStore: { volumeID: 'v', fsType: 'ext4', partition: 1 },
  azureDisk: { diskName: 'd', diskURI: 'https://d', kind: 'Dedicated', cachingMode: 'None', fsType: 'ext4' },
  azureFile: { secretName: 's', shareName: 'd', secretNamespace: 'ns' },
  cephfs: { monitors: ['m'], path: '/', user: 'u', secretRef },
  cinder: { volumeID: 'v', fsType: 'ext4', secretRef },
  fc: { targetWWNs: ['w'], lun: 1, fsType: 'ext4' },
  flexVolume: { driver: 'example.com/d', fsType: 'ext4', secretRef },
  gcePersistentDisk: { pdName: 'p', fsType: 'ext4', partition: 1 },
  glusterfs: { endpoints: 'e', path: '/', endpointsNamespace: 'ns' },
  hostPath: { path: '/data', type: 'Directory' },
  iscsi: {
    targetPortal: '10.0.0.1:3260',
    iqn: 'iqn.2001-04.com.example:a',
    lun: 1,
    chapAuthDiscovery: true,
    secretRef,
  },
  local: { path: '/data', fsType: 'ext4' },
  nfs: { server: 's', path: '/data' },
  photonPersistentDisk: { pdID: 'p', fsType: 'ext4' },
  portworxVolume: { volumeID: 'v', fsType: 'ext4' },
  quobyte: { registry: 'r:1', volume: 'v' },
  rbd: { monitors: ['m'], image: 'i', pool: 'p', user: 'u', keyring: '/k', secretRef },
  scaleIO: { gateway: 'https://g', system: 's', volumeName: 'v', secretRef },
  storageos: { volumeName: 'v', volumeNamespace: 'ns', secretRef },
  vsphereVolume: { volumePath: '/v', fsType: 'ext4' },
};

export const storageObjects: readonly FullObject[] = [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    fields: {
      spec: {
        ...VOLUME,
        volumeAttributesClassName: 'gold',
        csi: {
          driver: 'd.example.com',
          volumeHandle: 'h',
          fsType: 'ext4',
          volumeAttributes: { a: 'b' },
          controllerPublishSecretRef: secretRef,
          nodeStageSecretRef: secretRef,
          nodePublishSecretRef: secretRef,
          controllerExpandSecretRef: secretRef,
          nodeExpandSecretRef: secretRef,
        },
      },
    },
    also: [
      { 'spec.hostPath': { path: '/data' } },
      { 'spec.csi': undefined },
      { 'spec.csi': undefined, 'spec.hostPath': { path: '/data' }, 'spec.volumeAttributesClassName': undefined },
      { 'spec.accessModes': ['ReadWriteOncePod', 'ReadWriteOnce'] },
      { 'spec.accessModes': ['ReadWriteOncePod'] },
      { 'spec.capacity': { storage: '1Gi', cpu: '1' } },
      { 'spec.capacity': { cpu: '1' } },
      { 'spec.persistentVolumeReclaimPolicy': 'Recycle' },
      { 'spec.nodeAffinity': {} },
      { 'spec.nodeAffinity.required': { nodeSelectorTerms: [] } },
      { 'spec.volumeMode': 'Block' },
      { 'spec.claimRef': undefined },
    ],
  },
  ...Object.entries(SOURCES).map(([source, value]) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    name: 'sources',
    title: source,
    below: `spec.${source}`,
    fields: { spec: { ...VOLUME, [source]: value } },
  })),
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    name: 'recycled',
    skipped: ['spec', 'status'],
    fields: { spec: { ...VOLUME, persistentVolumeReclaimPolicy: 'Recycle', hostPath: { path: '/data' } } },
    also: [{ 'spec.hostPath.path': '/' }, { 'spec.hostPath.path': '/data/..' }, { 'spec.hostPath.path': '//' }],
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    fields: {
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'fast',
        volumeMode: 'Filesystem',
        volumeName: 'v',
        selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] },
        resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
        dataSource: SNAPSHOT,
        dataSourceRef: SNAPSHOT,
        volumeAttributesClassName: 'gold',
      },
      status: {
        phase: 'Bound',
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        conditions: [{ type: 'Resizing', status: 'True' }],
        allocatedResources: { storage: '1Gi' },
        allocatedResourceStatuses: { storage: 'NodeResizePending' },
        currentVolumeAttributesClassName: 'gold',
        modifyVolumeStatus: MODIFY,
      },
    },
    also: [
      { 'spec.resources.requests.storage': '2Gi' },
      { 'spec.resources.requests.storage': '512Mi' },
      { 'spec.resources.requests': { cpu: '1' } },
      { 'spec.resources.limits': { storage: '512Mi' } },
      { 'spec.accessModes': ['ReadWriteOncePod', 'ReadWriteOnce'] },
      { 'spec.accessModes': ['ReadWriteOncePod'] },
      { 'spec.dataSource': { kind: 'PersistentVolumeClaim', name: 'other' } },
      { 'spec.dataSource': { kind: 'Bucket', name: 'other' } },
      { 'spec.dataSourceRef': { kind: 'PersistentVolumeClaim', name: 'other' } },
      { 'spec.dataSource': undefined, 'spec.dataSourceRef': { apiGroup: 'example.com', kind: 'Bucket', name: 'b' } },
      { 'spec.dataSource': undefined, 'spec.dataSourceRef': { kind: 'Bucket', name: 'b' } },
      {
        'spec.dataSourceRef': { apiGroup: 'example.com', kind: 'Bucket', name: 'b', namespace: 'other' },
        'spec.dataSource': undefined,
      },
      { 'spec.volumeMode': 'Block' },
      { 'spec.volumeAttributesClassName': undefined },
      { 'status.allocatedResourceStatuses': { storage: 'Near' } },
      { 'status.allocatedResourceStatuses': { cpu: 'NodeResizePending' } },
      { 'status.allocatedResourceStatuses': { 'example.com/a': 'NodeResizePending' } },
      { 'status.allocatedResources': { cpu: '1' } },
      { 'status.allocatedResources': { 'kubernetes.io/a': '1' } },
      { 'status.capacity': { storage: '-1' } },
    ],
  },
  {
    apiVersion: storage,
    kind: 'StorageClass',
    fields: {
      provisioner: 'example.com/disk',
      parameters: { a: 'b' },
      reclaimPolicy: 'Retain',
      mountOptions: ['ro'],
      allowVolumeExpansion: true,
      volumeBindingMode: 'Immediate',
      allowedTopologies: TOPOLOGIES,
    },
    also: [
      { reclaimPolicy: 'Recycle' },
      { parameters: { a: 'c' } },
      { parameters: { [`${'k'.repeat(100)}`]: 'v'.repeat(256 * 1024 - 100) } },
      { parameters: { [`${'k'.repeat(100)}`]: 'v'.repeat(256 * 1024 - 99) } },
      { parameters: Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, 'v'])) },
      { parameters: Object.fromEntries(Array.from({ length: 512 }, (_, i) => [`k${i}`, 'v'])) },
      { allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'a'] }] }] },
      {
        allowedTopologies: [
          {
            matchLabelExpressions: [
              { key: 'a', values: ['b'] },
              { key: 'a', values: ['c'] },
            ],
          },
        ],
      },
      { allowedTopologies: [{}] },
    ],
  },
  {
    apiVersion: storage,
    kind: 'VolumeAttachment',
    fields: {
      spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
      status: {
        attached: true,
        attachmentMetadata: { a: 'b' },
        attachError: { message: 'm', time: '2030-01-01T00:00:00Z', errorCode: 1 },
        detachError: { message: 'm', errorCode: 2 },
      },
    },
    also: [
      { 'spec.source': {} },
      { 'spec.source.inlineVolumeSpec': { ...VOLUME, csi: { driver: 'd', volumeHandle: 'h' } } },
      { 'spec.source': { inlineVolumeSpec: { ...VOLUME, csi: { driver: 'd', volumeHandle: 'h' } } } },
      {
        'spec.source': {
          inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'h' } },
        },
      },
      { 'spec.source': { inlineVolumeSpec: { csi: { driver: 'd', volumeHandle: 'h' } } } },
      { 'status.attachError.message': 'm'.repeat(1025) },
      { 'status.attachError.message': 'm'.repeat(1024) },
      { 'status.attachmentMetadata': { a: 'v'.repeat(256 * 1024) } },
    ],
  },
  {
    apiVersion: storage,
    kind: 'CSIDriver',
    fields: {
      spec: {
        attachRequired: true,
        podInfoOnMount: true,
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        storageCapacity: true,
        fsGroupPolicy: 'File',
        requiresRepublish: true,
        seLinuxMount: true,
        tokenRequests: [{ audience: 'a', expirationSeconds: 600 }],
        nodeAllocatableUpdatePeriodSeconds: 10,
      },
    },
    also: [
      { 'spec.tokenRequests': [{ audience: 'a', expirationSeconds: 599 }] },
      { 'spec.tokenRequests': [{ audience: 'a', expirationSeconds: 2 ** 32 }] },
      { 'spec.tokenRequests': [{ audience: 'a', expirationSeconds: 2 ** 32 + 1 }] },
      { 'spec.nodeAllocatableUpdatePeriodSeconds': 9 },
      { 'spec.attachRequired': false },
      { 'spec.volumeLifecycleModes': ['Near'] },
    ],
  },
  {
    apiVersion: storage,
    kind: 'CSINode',
    fields: {
      spec: {
        drivers: [
          { name: 'd.example.com', nodeID: 'n', topologyKeys: ['example.com/zone', 'b'], allocatable: { count: 1 } },
        ],
      },
    },
    also: [
      { 'spec.drivers': [{ name: 'd', nodeID: 'n'.repeat(257), topologyKeys: [] }] },
      { 'spec.drivers': [{ name: 'd', nodeID: 'n'.repeat(256), topologyKeys: [] }] },
      {
        'spec.drivers': [
          { name: 'd', nodeID: 'n' },
          { name: 'd', nodeID: 'm' },
        ],
      },
      {
        'spec.drivers': [
          { name: 'd.example.com', nodeID: 'm', topologyKeys: ['example.com/zone', 'b'], allocatable: { count: 1 } },
        ],
      },
      {
        'spec.drivers': [
          { name: 'd.example.com', nodeID: 'n', topologyKeys: ['b', 'example.com/zone'], allocatable: { count: 1 } },
        ],
      },
    ],
  },
  {
    apiVersion: storage,
    kind: 'CSIStorageCapacity',
    fields: {
      nodeTopology: { matchLabels: { zone: 'a' } },
      storageClassName: 'fast',
      capacity: '1Gi',
      maximumVolumeSize: '1Gi',
    },
  },
  {
    apiVersion: storage,
    kind: 'VolumeAttributesClass',
    fields: { driverName: 'd.example.com', parameters: { iops: '1' } },
    also: [
      { parameters: { iops: '2' } },
      { parameters: Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, 'v'])) },
      { parameters: { a: 'v'.repeat(256 * 1024) } },
    ],
  },
];
