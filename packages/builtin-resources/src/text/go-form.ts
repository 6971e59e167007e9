import type { FieldSchema, Schema, StructSchema } from '@apiserver/apimachinery/schema';

/**
 * Formats a value as upstream prints its internal type: all fields, even absent ones, by their Go names; metadata
 * fields are inlined. Types of k8s.io/apimachinery have no internal form and stay as in JSON. The value must be
 * canonical.
 * Upstream: ErrorBody of k8s.io/apimachinery/pkg/util/validation/field/errors.go, which marshals the internal value
 */
export function goForm(schema: Schema, value: unknown): unknown {
  switch (schema.type) {
    case 'struct':
      return isApimachinery(schema) ? (value ?? {}) : structForm(schema, value);
    case 'list':
      return value === undefined || value === null
        ? null
        : (value as readonly unknown[]).map((element) => goForm(schema.element, element));
    case 'map':
      return value === undefined || value === null ? null : mapForm(schema.element, value);
    default:
      return value ?? ZERO[schema.type] ?? null;
  }
}

/** Zero values of types that are no pointers. */
const ZERO: Readonly<Partial<Record<Schema['type'], unknown>>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  float64: 0,
  intOrString: 0,
  quantity: '0',
};

function isApimachinery({ name }: StructSchema): boolean {
  return name.startsWith('io.k8s.apimachinery.');
}

function mapForm(element: Schema, map: object): object {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, goForm(element, member)]));
}

function structForm(schema: StructSchema, value: unknown): object {
  const members = [...memberForms(schema, (value ?? {}) as Readonly<Record<string, unknown>>)];
  const form = Object.fromEntries(members);
  const order = FIELD_ORDERS[schema.goName];
  return order === undefined ? form : Object.fromEntries(order.map((name) => [name, form[name]]));
}

function* memberForms(
  { goName, fields }: StructSchema,
  value: Readonly<Record<string, unknown>>,
): Generator<readonly [name: string, form: unknown]> {
  for (const field of fields) {
    const { name } = field;
    if (field.inline && field.schema.type === 'struct' && isApimachinery(field.schema)) continue;
    // Internal types embed the metadata without a name.
    if (name === 'metadata') yield* Object.entries(value[name] ?? {});
    else if (field.inline && field.schema.type === 'struct') yield* Object.entries(structForm(field.schema, value));
    else yield [goFieldName(goName, field), fieldForm(field, value[field.name])];
  }
}

function fieldForm({ pointer, schema }: FieldSchema, value: unknown): unknown {
  return pointer && (value === undefined || value === null) ? null : goForm(schema, value);
}

function goFieldName(struct: string, { name }: FieldSchema): string {
  return FIELDS_OF_TYPES[`${struct}.${name}`] ?? GO_NAMES[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/**
 * Fields whose Go names differ from the capitalized JSON names. A test compares them with the facts about the types.
 */
const GO_NAMES: Readonly<Record<string, string>> = {
  apiGroup: 'APIGroup',
  apiVersion: 'APIVersion',
  awsElasticBlockStore: 'AWSElasticBlockStore',
  cel: 'CEL',
  cephfs: 'CephFS',
  chapAuthDiscovery: 'DiscoveryCHAPAuth',
  chapAuthSession: 'SessionCHAPAuth',
  csi: 'CSI',
  diskURI: 'DataDiskURI',
  dnsConfig: 'DNSConfig',
  dnsPolicy: 'DNSPolicy',
  externalID: 'DoNotUseExternalID',
  fc: 'FC',
  fsGroup: 'FSGroup',
  fsGroupChangePolicy: 'FSGroupChangePolicy',
  fsType: 'FSType',
  gcePersistentDisk: 'GCEPersistentDisk',
  gid: 'GID',
  gmsaCredentialSpec: 'GMSACredentialSpec',
  gmsaCredentialSpecName: 'GMSACredentialSpecName',
  grpc: 'GRPC',
  httpGet: 'HTTPGet',
  httpHeaders: 'HTTPHeaders',
  ip: 'IP',
  ipFamilies: 'IPFamilies',
  ipFamilyPolicy: 'IPFamilyPolicy',
  ipMode: 'IPMode',
  iqn: 'IQN',
  iscsi: 'ISCSI',
  iscsiInterface: 'ISCSIInterface',
  lastState: 'LastTerminationState',
  nfs: 'NFS',
  os: 'OS',
  osImage: 'OSImage',
  pdName: 'PDName',
  pkixPublicKey: 'PKIXPublicKey',
  qosClass: 'QOSClass',
  rbd: 'RBD',
  reportingComponent: 'ReportingController',
  seLinuxChangePolicy: 'SELinuxChangePolicy',
  seLinuxOptions: 'SELinuxOptions',
  serviceAccount: 'DeprecatedServiceAccount',
  sslEnabled: 'SSLEnabled',
  storageos: 'StorageOS',
  tcpSocket: 'TCPSocket',
  tty: 'TTY',
  uid: 'UID',
  wwids: 'WWIDs',
};

/** The same for fields of single types. */
const FIELDS_OF_TYPES: Readonly<Record<string, string>> = {
  'v1.GlusterfsPersistentVolumeSource.endpoints': 'EndpointsName',
  'v1.GlusterfsVolumeSource.endpoints': 'EndpointsName',
  ...Object.fromEntries(
    ['v1.RBDPersistentVolumeSource', 'v1.RBDVolumeSource'].flatMap((type) => [
      [`${type}.monitors`, 'CephMonitors'],
      [`${type}.image`, 'RBDImage'],
      [`${type}.pool`, 'RBDPool'],
      [`${type}.user`, 'RadosUser'],
    ]),
  ),
};

/** Internal types with another field order than v1. Upstream: pkg/apis/core/types.go */
const FIELD_ORDERS: Readonly<Record<string, readonly string[]>> = {
  'v1.PersistentVolumeSource': [
    ...['GCEPersistentDisk', 'AWSElasticBlockStore', 'HostPath', 'Glusterfs', 'NFS', 'RBD', 'Quobyte', 'ISCSI'],
    ...['FlexVolume', 'Cinder', 'CephFS', 'FC', 'Flocker', 'AzureFile', 'VsphereVolume', 'AzureDisk'],
    ...['PhotonPersistentDisk', 'PortworxVolume', 'ScaleIO', 'Local', 'StorageOS', 'CSI'],
  ],
  'v1.VolumeSource': [
    ...['HostPath', 'EmptyDir', 'GCEPersistentDisk', 'AWSElasticBlockStore', 'GitRepo', 'Secret', 'NFS', 'ISCSI'],
    ...['Glusterfs', 'PersistentVolumeClaim', 'RBD', 'Quobyte', 'FlexVolume', 'Cinder', 'CephFS', 'Flocker'],
    ...['DownwardAPI', 'FC', 'AzureFile', 'ConfigMap', 'VsphereVolume', 'AzureDisk', 'PhotonPersistentDisk'],
    ...['Projected', 'PortworxVolume', 'ScaleIO', 'StorageOS', 'CSI', 'Ephemeral', 'Image'],
  ],
};
