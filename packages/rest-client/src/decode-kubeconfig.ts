import {
  BOOL,
  BYTES,
  list,
  map,
  named,
  OMIT_EMPTY,
  POINTER,
  RAW_EXTENSION,
  STRING,
  type StructSchema,
  struct,
} from '@apiserver/apimachinery/schema';
import {
  type ConfigurationScheme,
  configurationKinds,
  decodeConfigurationLeniently,
} from '@apiserver/component-base/configuration';

type Field = readonly [name: string, schema: Parameters<typeof list>[0], flags?: number];

/**
 * Decodes a kubeconfig. Unknown fields are ignored, and an empty file is an empty configuration. Throws a
 * ConfigurationError with upstream's message.
 * Upstream: Load of k8s.io/client-go/tools/clientcmd/loader.go
 */
export function decodeKubeconfig(bytes: Uint8Array): unknown {
  return bytes.length === 0 ? {} : decodeConfigurationLeniently(bytes, kubeconfigScheme()).object;
}

function kubeconfigScheme(): ConfigurationScheme {
  const kind = { group: '', version: 'v1', kind: 'Config' };
  return {
    kinds: configurationKinds(configType(), [['', 'v1', 'Config']]),
    name: 'tools/clientcmd/api/latest/latest.go:50',
    defaultKind: kind,
    isYaml: true,
  };
}

function configType(): StructSchema {
  const extension = type('NamedExtension', texts('name'), [['extension', RAW_EXTENSION]]);
  const extensions: Field = ['extensions', list(extension, 'atomic'), OMIT_EMPTY];
  const namedType = (name: string, field: string, entry: StructSchema) =>
    list(type(name, texts('name'), [[field, entry]]), 'atomic');
  return type('Config', texts('kind', 'apiVersion', 'current-context'), [
    ['preferences', type('Preferences', [['colors', BOOL, OMIT_EMPTY], extensions]), OMIT_EMPTY],
    ['clusters', namedType('NamedCluster', 'cluster', clusterType(extensions))],
    ['users', namedType('NamedAuthInfo', 'user', userType(extensions))],
    [
      'contexts',
      namedType('NamedContext', 'context', type('Context', texts('cluster', 'user', 'namespace'), [extensions])),
    ],
    extensions,
  ]);
}

function clusterType(extensions: Field): StructSchema {
  return type('Cluster', texts('server', 'tls-server-name', 'certificate-authority', 'proxy-url'), [
    ['insecure-skip-tls-verify', BOOL, OMIT_EMPTY],
    ['certificate-authority-data', BYTES, OMIT_EMPTY],
    ['disable-compression', BOOL, OMIT_EMPTY],
    extensions,
  ]);
}

function userType(extensions: Field): StructSchema {
  const strings = list(STRING, 'atomic');
  const files = texts('client-certificate', 'client-key', 'token', 'tokenFile', 'as', 'as-uid', 'username', 'password');
  return type('AuthInfo', files, [
    ['client-certificate-data', BYTES, OMIT_EMPTY],
    ['client-key-data', BYTES, OMIT_EMPTY],
    ['as-groups', strings, OMIT_EMPTY],
    ['as-user-extra', map(strings), OMIT_EMPTY],
    ['auth-provider', type('AuthProviderConfig', texts('name'), [['config', map(STRING)]]), OMIT_EMPTY | POINTER],
    ['exec', execType(), OMIT_EMPTY | POINTER],
    extensions,
  ]);
}

function execType(): StructSchema {
  return type('ExecConfig', texts('command', 'apiVersion', 'installHint'), [
    ['interactiveMode', named('v1.ExecInteractiveMode'), OMIT_EMPTY],
    ['args', list(STRING, 'atomic')],
    ['env', list(type('ExecEnvVar', texts('name', 'value')), 'atomic')],
    ['provideClusterInfo', BOOL],
  ]);
}

function texts(...names: readonly string[]): readonly Field[] {
  return names.map((name) => [name, STRING, OMIT_EMPTY]);
}

function type(name: string, ...fields: readonly (readonly Field[])[]): StructSchema {
  return struct(`clientcmd.v1.${name}`, `v1.${name}`, () =>
    fields.flat().map(([field, schema, flags = 0]) => [field, 0, schema, flags]),
  );
}
