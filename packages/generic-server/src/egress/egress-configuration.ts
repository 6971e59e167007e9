import { existsSync, readFileSync } from 'node:fs';
import { errorOf, goFileError } from '@apiserver/apimachinery/errors';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { list, named, OMIT_EMPTY, POINTER, STRING, struct } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import {
  ConfigurationError,
  type ConfigurationScheme,
  configurationKinds,
  decodeConfiguration,
} from '@apiserver/component-base/configuration';

/** Certificates for a proxy, by files. */
export interface TlsConfig {
  readonly caBundle?: string;
  readonly clientKey?: string;
  readonly clientCert?: string;
  readonly tlsServerName?: string;
}

/** The way to a proxy; one of the fields is set. */
export interface Transport {
  readonly tcp?: { readonly url?: string; readonly tlsConfig?: TlsConfig };
  readonly uds?: { readonly udsName: string };
}

/** A connection to a network. */
export interface Connection {
  readonly proxyProtocol: string;
  readonly transport?: Transport;
}

/** The file of `--egress-selector-config-file`. Upstream: k8s.io/apiserver/pkg/apis/apiserver/v1beta1/types.go */
export interface EgressSelectorConfiguration {
  readonly egressSelections: readonly Selection[] | null;
}

interface Selection {
  readonly name: string;
  readonly connection: Connection;
}

const PROTOCOLS = ['Direct', 'HTTPConnect', 'GRPC'];
const NAMES = ['cluster', 'controlplane', 'etcd'];
const PATH = FieldPath.of('service').child('connection');

/** Reads the file. Throws a ConfigurationError with upstream's messages. Upstream: ReadEgressSelectorConfiguration */
export function readEgressConfiguration(file: string): EgressSelectorConfiguration {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const reason = goFileError('open', file, errorOf(error));
    const message = `unable to read egress selector configuration from ${quote(file)} [${reason}]`;
    throw new ConfigurationError(message, { cause: error });
  }
  const { egressSelections, ...rest } = decodeConfiguration<EgressSelectorConfiguration>(bytes, scheme()).object;
  return { ...rest, egressSelections: (egressSelections ?? []).map(withCurrentName) };
}

/** Both versions have an older name. Upstream: Convert_v1beta1_EgressSelection_To_apiserver_EgressSelection */
function withCurrentName(selection: Selection): Selection {
  return selection.name === 'master' ? { ...selection, name: 'controlplane' } : selection;
}

function scheme(): ConfigurationScheme {
  const tls = struct('apiserver.v1beta1.TLSConfig', 'v1beta1.TLSConfig', () =>
    ['caBundle', 'clientKey', 'clientCert', 'tlsServerName'].map((name) => [name, 0, STRING, OMIT_EMPTY]),
  );
  const tcp = struct('apiserver.v1beta1.TCPTransport', 'v1beta1.TCPTransport', () => [
    ['url', 0, STRING, OMIT_EMPTY],
    ['tlsConfig', 0, tls, OMIT_EMPTY | POINTER],
  ]);
  const uds = struct('apiserver.v1beta1.UDSTransport', 'v1beta1.UDSTransport', () => [['udsName', 0, STRING]]);
  const transport = struct('apiserver.v1beta1.Transport', 'v1beta1.Transport', () => [
    ['tcp', 0, tcp, OMIT_EMPTY | POINTER],
    ['uds', 0, uds, OMIT_EMPTY | POINTER],
  ]);
  const connection = struct('apiserver.v1beta1.Connection', 'v1beta1.Connection', () => [
    ['proxyProtocol', 0, named('v1beta1.ProtocolType')],
    ['transport', 0, transport, OMIT_EMPTY | POINTER],
  ]);
  const selection = struct('apiserver.v1beta1.EgressSelection', 'v1beta1.EgressSelection', () => [
    ['name', 0, STRING],
    ['connection', 0, connection],
  ]);
  const kind = 'EgressSelectorConfiguration';
  const schema = struct('apiserver.v1beta1.EgressSelectorConfiguration', `v1beta1.${kind}`, () => [
    ['kind', 0, STRING, OMIT_EMPTY],
    ['apiVersion', 0, STRING, OMIT_EMPTY],
    ['egressSelections', 0, list(selection, 'atomic')],
  ]);
  return {
    kinds: configurationKinds(schema, [
      ['apiserver.k8s.io', 'v1beta1', kind],
      ['apiserver.k8s.io', 'v1alpha1', kind],
    ]),
    name: 'pkg/server/egressselector/config.go:33',
  };
}

/** Upstream: ValidateEgressSelectorConfiguration */
export function validateEgressConfiguration({ egressSelections }: EgressSelectorConfiguration): readonly FieldError[] {
  const selections = egressSelections ?? [];
  const seen = new Set<string>();
  const names = selections.flatMap(({ name }, i) => {
    const canonical = name.toLowerCase();
    if (seen.has(canonical)) return [fieldDuplicate(PATH.index(i), canonical)];
    seen.add(canonical);
    return NAMES.includes(canonical) ? [] : [fieldNotSupported(PATH, canonical, NAMES)];
  });
  return [...selections.flatMap(({ connection }) => validateConnection(connection)), ...names];
}

function validateConnection({ proxyProtocol, transport }: Connection): readonly FieldError[] {
  if (proxyProtocol === 'Direct') {
    if (transport === undefined) return [];
    return [fieldInvalid(PATH.child('transport'), 'direct', 'config must be absent for direct connect')];
  }
  if (!PROTOCOLS.includes(proxyProtocol)) {
    return [fieldNotSupported(PATH.child('protocol'), proxyProtocol, PROTOCOLS)];
  }
  if (transport === undefined) {
    return [fieldRequired(PATH.child('transport'), `transport must be set for ${proxyProtocol}`)];
  }
  return proxyProtocol === 'GRPC' ? validateGrpc(transport) : validateHttpConnect(transport);
}

function validateGrpc({ uds }: Transport): readonly FieldError[] {
  return uds === undefined ? [fieldRequired(PATH.child('uds'), 'UDS must be set with GRPC')] : validateUds(uds);
}

function validateHttpConnect({ tcp, uds }: Transport): readonly FieldError[] {
  if (tcp !== undefined && uds !== undefined) {
    return [fieldInvalid(PATH.child('tcp'), tcp, 'TCP and UDS cannot both be set')];
  }
  if (uds !== undefined) return validateUds(uds);
  if (tcp === undefined) return [fieldRequired(PATH.child('tcp'), 'One of TCP or UDS must be set')];
  return validateTcp(tcp);
}

function validateUds({ udsName }: NonNullable<Transport['uds']>): readonly FieldError[] {
  return udsName === '' ? [fieldInvalid(PATH.child('udsName'), 'nil', 'must be present for UDS connections')] : [];
}

function validateTcp({ url = '', tlsConfig }: NonNullable<Transport['tcp']>): readonly FieldError[] {
  if (url.startsWith('https://')) return validateTls(tlsConfig);
  if (url.startsWith('http://')) {
    if (tlsConfig === undefined) return [];
    return [fieldInvalid(PATH.child('tlsConfig'), 'nil', 'config must not be present when using HTTP')];
  }
  return [fieldInvalid(PATH.child('url'), url, 'supported connection protocols are http:// and https://')];
}

function validateTls(tlsConfig: TlsConfig | undefined): readonly FieldError[] {
  const path = PATH.child('tlsConfig');
  if (tlsConfig === undefined) return [fieldRequired(path, 'TLSConfig must be present when using HTTPS')];
  const { caBundle = '', clientCert = '', clientKey = '' } = tlsConfig;
  const missing = (name: string, file: string, detail: string) =>
    existsSync(file) ? [] : [fieldInvalid(path.child(name), file, detail)];
  return [
    ...(caBundle === '' ? [] : missing('caBundle', caBundle, 'TLS config ca bundle does not exist')),
    ...(clientCert === ''
      ? [fieldInvalid(path.child('clientCert'), 'nil', 'Using TLS requires clientCert')]
      : missing('clientCert', clientCert, 'TLS client cert does not exist')),
    ...(clientKey === ''
      ? [fieldInvalid(path.child('clientKey'), 'nil', 'Using TLS requires requires clientKey')]
      : missing('clientKey', clientKey, 'TLS client key does not exist')),
  ];
}
