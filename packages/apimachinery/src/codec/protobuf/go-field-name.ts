import { bareGoName } from '../../schema/flat-fields.js';
import type { FieldSchema, StructSchema } from '../../schema/schema.js';

/** Go's names of fields, by JSON name, where they are more than the JSON name with a capital. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...sameLetters(
      'apiGroup:APIGroup apiGroups:APIGroups apiServerID:APIServerID apiVersion:APIVersion apiVersions:APIVersions',
      'awsElasticBlockStore:AWSElasticBlockStore caBundle:CABundle cel:CEL cephfs:CephFS cidr:CIDR cidrs:CIDRs csi:CSI',
      'dnsConfig:DNSConfig dnsPolicy:DNSPolicy fc:FC fsGroup:FSGroup fsGroupChangePolicy:FSGroupChangePolicy',
      'fsGroupPolicy:FSGroupPolicy fsType:FSType gcePersistentDisk:GCEPersistentDisk gid:GID',
      'gmsaCredentialSpec:GMSACredentialSpec gmsaCredentialSpecName:GMSACredentialSpecName grpc:GRPC http:HTTP',
      'httpGet:HTTPGet httpHeaders:HTTPHeaders id:ID ip:IP ipBlock:IPBlock ipFamilies:IPFamilies',
      'ipFamilyPolicy:IPFamilyPolicy ipMode:IPMode ips:IPs iqn:IQN iscsi:ISCSI iscsiInterface:ISCSIInterface',
      'jsonPatch:JSONPatch jsonPath:JSONPath nfs:NFS os:OS osImage:OSImage pdName:PDName pkixPublicKey:PKIXPublicKey',
      'qosClass:QOSClass rbd:RBD seLinuxChangePolicy:SELinuxChangePolicy seLinuxMount:SELinuxMount',
      'seLinuxOptions:SELinuxOptions sslEnabled:SSLEnabled storageos:StorageOS tcpSocket:TCPSocket tls:TLS',
      'ttlSecondsAfterFinished:TTLSecondsAfterFinished tty:TTY uid:UID url:URL wwids:WWIDs',
    ),
    bool: 'BoolValue',
    bools: 'BoolValues',
    chapAuthDiscovery: 'DiscoveryCHAPAuth',
    chapAuthSession: 'SessionCHAPAuth',
    diskURI: 'DataDiskURI',
    externalID: 'DoNotUseExternalID',
    int: 'IntValue',
    ints: 'IntValues',
    lastState: 'LastTerminationState',
    reportingComponent: 'ReportingController',
    string: 'StringValue',
    strings: 'StringValues',
    $ref: 'Ref',
    $schema: 'Schema',
    'x-kubernetes-embedded-resource': 'XEmbeddedResource',
    'x-kubernetes-int-or-string': 'XIntOrString',
    'x-kubernetes-list-map-keys': 'XListMapKeys',
    'x-kubernetes-list-type': 'XListType',
    'x-kubernetes-map-type': 'XMapType',
    'x-kubernetes-preserve-unknown-fields': 'XPreserveUnknownFields',
    'x-kubernetes-validations': 'XValidations',
  }),
);

type Names = { readonly [name: string]: string };

function sameLetters(...lines: readonly string[]): Names {
  const pairs = lines.flatMap((line) => line.split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split(':')));
}

const RBD = { image: 'RBDImage', monitors: 'CephMonitors', pool: 'RBDPool', user: 'RadosUser' };

/** Those of single structs, whose JSON names are regular elsewhere. */
const NAMES_OF_STRUCTS: ReadonlyMap<string, Names> = new Map<string, Names>([
  ['APIResourceList', { resources: 'APIResources' }],
  ['AdmissionResponse', { status: 'Result' }],
  ['DeviceAttribute', { version: 'VersionValue', versions: 'VersionValues' }],
  ['GlusterfsPersistentVolumeSource', { endpoints: 'EndpointsName' }],
  ['GlusterfsVolumeSource', { endpoints: 'EndpointsName' }],
  ['PodSpec', { serviceAccount: 'DeprecatedServiceAccount' }],
  ['RBDPersistentVolumeSource', RBD],
  ['RBDVolumeSource', RBD],
  ['StatusCause', { reason: 'Type' }],
  ['SubjectAccessReviewSpec', { group: 'Groups' }],
]);

/**
 * The name of a field in errors about its wire type.
 *
 * Upstream: the Unmarshal functions in generated.pb.go of k8s.io/api
 */
export function goFieldName(owner: StructSchema, { name, schema }: Pick<FieldSchema, 'name' | 'schema'>): string {
  // ObjectMeta or ListMeta.
  if (name === 'metadata' && schema.type === 'struct') return bareGoName(schema);
  const own = NAMES_OF_STRUCTS.get(bareGoName(owner))?.[name] ?? NAMES.get(name);
  return own ?? name.charAt(0).toUpperCase() + name.slice(1);
}
