import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ParseError } from '@apiserver/apimachinery/text';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { newServerContext } from '@apiserver/generic-server';
import { describe, expect, it } from 'vitest';
import { completeOptions } from './complete-options.js';
import { ComponentValues } from './component-values.js';
import { DataOptions } from './data-options.js';
import { KubeApiserverOptions } from './kube-apiserver-options.js';
import { parseSemanticVersion } from './semantic-version.js';
import { VersionFlag } from './version-flag.js';

function parsed(...args: readonly string[]): KubeApiserverOptions {
  const options = new KubeApiserverOptions();
  options.flagSets().parse(args);
  return options;
}

const SIZE = 'watch-cache-sizes';
const OVERRIDE =
  '--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated';
const TOGETHER = '--kubelet-client-certificate and --kubelet-client-key must be specified together';
const LIFE = 'the service-account-max-token-expiration must be between 1 hour and 2^32 seconds';
const SIGNING =
  'service-account-signing-key-file and service-account-signing-endpoint are mutually exclusive and cannot be set at the same time';
const KEYS =
  'cannot set mutually exclusive flags `--service-account-key-file` and `--service-account-signing-endpoint` at the same time';
const FORWARD = 'cannot be set to true if the emulation version is the same as the binary version';
const NODE_PORT =
  'must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP';

describe('the faults of flags', () => {
  it.each<[string, readonly string[]]>([
    ['', []],
    ['kubelet-port=0', ['--kubelet-port 0 must be between 1 and 65535, inclusive']],
    ['kubelet-port=1', []],
    ['kubelet-port=65535', []],
    ['kubelet-port=65536', ['--kubelet-port 65536 must be between 1 and 65535, inclusive']],
    ['kubelet-timeout=0', ['--kubelet-timeout must be greater than 0']],
    ['kubelet-timeout=1ms', []],
    ['kubelet-client-certificate=a', [TOGETHER]],
    ['kubelet-client-key=a', [TOGETHER]],
    ['kubelet-client-certificate=a kubelet-client-key=b', []],
    ['event-ttl=-1s', ['--event-ttl can not be a negative value']],
    ['event-ttl=0', []],
    ['tls-cert-file=a', ['missing filename for serving cert']],
    ['tls-private-key-file=a', ['missing filename for serving cert']],
    ['tls-cert-file=a tls-private-key-file=b', []],
    ['tracing-config-file=/none', ['tracing-config-file /none does not exist']],
    ['tracing-config-file=/dev/null', []],
    ['advertise-port=-1', ['--advertise-port -1 must be between 0 and 65535, inclusive']],
    ['advertise-port=65535', []],
    ['advertise-port=65536', ['--advertise-port 65536 must be between 0 and 65535, inclusive']],
    ['kubernetes-service-node-port=-1', [`--kubernetes-service-node-port -1 ${NODE_PORT}`]],
    ['kubernetes-service-node-port=65536', [`--kubernetes-service-node-port 65536 ${NODE_PORT}`]],
    ['apiserver-count=0', ["--apiserver-count should be a positive number, but value '0' provided"]],
    ['apiserver-count=1 endpoint-reconciler-type=master-count', []],
    ['endpoint-reconciler-type=none', []],
    ['endpoint-reconciler-type=x', ['--endpoint-reconciler-type invalid, allowed values: master-count, lease, none']],
    ['service-cluster-ip-range=10.0.0.0/11', [tooLarge(32, 12)]],
    ['service-cluster-ip-range=10.0.0.0/12', []],
    ['service-cluster-ip-range=fd00::/63', [tooLarge(128, 64)]],
    ['service-cluster-ip-range=fd00::/64', []],
    ['service-cluster-ip-range=10.0.0.0/30', ['the service cluster IP range must be at least 8 IP addresses']],
    ['service-cluster-ip-range=10.0.0.0/29', []],
    [
      'encryption-provider-config-automatic-reload',
      ['--encryption-provider-config-automatic-reload must be set with --encryption-provider-config'],
    ],
    ['encryption-provider-config=a encryption-provider-config-automatic-reload', []],
    ['etcd-servers-overrides=/events#http://a:1#b', [OVERRIDE]],
    ['etcd-servers-overrides=/#http://a:1', [OVERRIDE]],
    [
      'service-account-issuer=http://[',
      ['service-account-issuer "http://[" contained a \':\' but was not a valid URL: parse "http://["'],
    ],
    ['service-account-issuer=plain', []],
    ['service-account-signing-endpoint=/s service-account-signing-key-file=k', [SIGNING]],
    ['service-account-signing-endpoint=/s service-account-key-file=k', [KEYS]],
    ['service-account-signing-endpoint=/s', []],
    ['service-account-jwks-uri=x', ['service-account-jwks-uri must be a valid URL: parse "x"']],
    ['service-account-jwks-uri=https://a', []],
    ['service-account-max-token-expiration=3599s', [LIFE]],
    ['service-account-max-token-expiration=4294967296s', []],
    ['service-account-max-token-expiration=4294967297s', [LIFE]],
    [`${SIZE}=pods`, ['invalid value of watch cache size: pods']],
    [`${SIZE}=pods#1#2`, ['invalid value of watch cache size: pods#1#2']],
    [`${SIZE}=pods#x`, ['invalid size of watch cache size: pods#x']],
    [`${SIZE}=pods#x1`, ['invalid size of watch cache size: pods#x1']],
    [`${SIZE}=pods#1x`, ['invalid size of watch cache size: pods#1x']],
    [`${SIZE}=pods#-1`, ['watch cache size cannot be negative: pods#-1']],
    [`${SIZE}=pods#0,deployments.apps#+10`, []],
    [`${SIZE}=pods watch-cache=false`, []],
    ['emulation-forward-compatible', [`ServerRunOptions.EmulationForwardCompatible ${FORWARD}`]],
    [
      'runtime-config-emulation-forward-compatible',
      [`ServerRunOptions.RuntimeConfigEmulationForwardCompatible ${FORWARD}`],
    ],
    ['min-compatibility-version=kube=1.36', []],
    ['emulated-version=kube=1.35', []],
    ['min-compatibility-version=x=1.35', ['component not registered: x']],
    ['peer-ca-file=a', []],
    ['test-endpoint-file=a', ['--test-endpoint-file: has no meaning without --test-endpoint']],
    ['storage-backend=etcd3', ['--etcd-servers must be specified']],
    ...['http:///a', 'xhttp://a', 'ftp://a', 'http://a:b'].map((server): [string, string[]] => [
      `etcd-servers=${server}`,
      [`--etcd-servers: "${server}" is not of the form http://host:port or https://host:port`],
    ]),
  ])('%s', (flags, messages) => {
    const options = parsed(...flags.split(' ').flatMap((flag) => (flag === '' ? [] : [`--${flag}`])));
    expect(options.validate()).toEqual(messages);
  });

  it('are reported together, those of logs first', () => {
    const options = parsed('--logging-format=x', '--event-ttl=-1s', '--goaway-chance=1');
    expect(options.validate().map((message) => message.split(' ', 1)[0])).toEqual([
      'format:',
      '--goaway-chance',
      '--event-ttl',
    ]);
  });
});

function tooLarge(bits: number, widest: number): string {
  return `specified --service-cluster-ip-range is too large; for ${bits}-bit addresses, the mask must be >= /${widest}`;
}

describe('values of flags', () => {
  it('are trimmed and sorted: --runtime-config', () => {
    const options = parsed('--runtime-config= v1 = true ,b/v1=a=b,,api/all', '--runtime-config=v1=false');
    expect([...options.apiEnablement.runtimeConfig]).toEqual([
      ...[
        ['v1', 'false'],
        ['b/v1', 'a=b'],
        ['api/all', ''],
      ],
    ]);
    const [flag] = options
      .flagSets()
      .all()
      .filter(({ name }) => name === 'runtime-config');
    expect([String(flag?.value), flag?.value.typeName]).toEqual(['api/all=,b/v1=a=b,v1=false', 'mapStringString']);
  });

  it('may name their component', () => {
    const values = new ComponentValues('some');
    values.set('kube: B=1 ,A=2,,');
    values.set(' x :C=3:4,kube:A=5');
    expect([values.typeName, values.components(), values.values(), String(values)]).toEqual([
      'some',
      ['kube', '', 'x'],
      ['B=1', 'A=2', 'C=3:4', 'A=5'],
      ':A=2,kube:A=5,kube:B=1,x:C=3:4',
    ]);
  });

  it('are those of --version before it is set', () => {
    const flag = new VersionFlag('v1.36.0');
    expect([flag.typeName, flag.isBoolean, flag.request, String(flag), flag.gitVersion]).toEqual([
      ...['version', true, 'no', 'false', 'v1.36.0'],
    ]);
    const accepted = ['t', 'T', 'TRUE', 'true', 'True', 'f', 'F', 'FALSE', 'False', '0'];
    const requests = accepted.map((text) => {
      flag.set(text);
      return flag.request;
    });
    expect(requests).toEqual([...Array(5).fill('short'), ...Array(5).fill('no')]);
    for (const text of ['1x', 'x1', 'xraw', '0x', 'x0']) expect(() => flag.set(text)).toThrow(RegExp(`"${text}"`));
  });

  it.each([
    ['v1.36.2', { major: 1, minor: 36, patch: 2 }],
    [' v10.0.20-a.1+b-c.01 ', { major: 10, minor: 0, patch: 20 }],
    ['1.2.3-x01', { major: 1, minor: 2, patch: 3 }],
    ['x1.2.3', 'could not parse "x1.2.3" as version'],
    ['1.2.3.4', 'illegal version string "1.2.3.4"'],
    ['1.2.3-', 'could not parse pre-release/metadata (-) in version "1.2.3-"'],
    ['1.2.3-a..b', 'could not parse pre-release/metadata (-a..b) in version "1.2.3-a..b"'],
    ['1.2.3-a+', 'could not parse pre-release/metadata (-a+) in version "1.2.3-a+"'],
    ['1.2.3+b x', 'could not parse pre-release/metadata (+b x) in version "1.2.3+b x"'],
    ['1.2.03', 'illegal zero-prefixed version component "03" in "1.2.03"'],
    ['1.2.3-a.01', 'illegal zero-prefixed version component "01" in "1.2.3-a.01"'],
  ])('%j is a semantic version or has a fault', (text, expected) => {
    if (typeof expected === 'string') expect(() => parseSemanticVersion(text)).toThrow(new ParseError(expected));
    else expect(parseSemanticVersion(text)).toEqual(expected);
  });
});

describe('options', () => {
  it('choose where objects are kept', () => {
    const of = (fields: Partial<DataOptions>) => Object.assign(new DataOptions(), fields);
    const servers = ['http://a:1'];
    expect(
      [of({}), of({ etcdServers: servers }), of({ backend: 'etcd3' }), of({ backend: 'lmdb' })].map(usesEtcd),
    ).toEqual([false, true, true, false]);
    const files = { etcdCAFile: 'ca', etcdCertFile: 'crt', etcdKeyFile: 'key' };
    expect(of({ etcdServers: servers, ...files }).transport).toEqual({
      servers,
      caFile: 'ca',
      certFile: 'crt',
      keyFile: 'key',
    });
  });

  it('of a server on etcd encode objects in protobuf, unless a flag says otherwise', () => {
    const mediaType = (isOnEtcd: boolean, ...args: readonly string[]) => {
      const { logger } = createTestLogger();
      return completeOptions(parsed(...args), { dataDirectory: '/d', isOnEtcd, logger }).storage.mediaType;
    };
    expect([mediaType(true), mediaType(false), mediaType(true, '--storage-media-type=application/json')]).toEqual([
      ...['application/vnd.kubernetes.protobuf', '', 'application/json'],
    ]);
  });

  it('keep the file of the test endpoint in the data folder, unless a flag names another', () => {
    expect([parsed(), parsed('--test-endpoint-file=/f')].map(({ testEndpoint }) => testEndpoint.pathIn('/d'))).toEqual([
      ...['/d/test-endpoint.json', '/f'],
    ]);
  });

  it('connect to kubelets with the files of flags', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'kubelet-'));
    const file = (name: string) => {
      writeFileSync(join(folder.path, name), `the ${name}`);
      return join(folder.path, name);
    };
    const options = parsed(
      `--kubelet-client-certificate=${file('crt')}`,
      `--kubelet-client-key=${file('key')}`,
      `--kubelet-certificate-authority=${file('ca')}`,
      ...['--kubelet-timeout=7s', '--kubelet-port=7', '--kubelet-preferred-address-types=Hostname'],
    );
    const dial = () => Promise.reject(new Error('not dialled'));
    const config = options.kubelet.clientConfig(() => 0, dial);
    const own = { certificate: 'the crt', key: 'the key', connectTimeout: 7_000, dial };
    expect({ ...config, transport: config.transport, insecureTransport: config.insecureTransport }).toEqual({
      preferredAddressTypes: ['Hostname'],
      port: 7,
      transport: { ...own, ca: 'the ca', verify: true },
      insecureTransport: { ...own, ca: '', verify: false },
    });
    expect(parsed().kubelet.clientConfig(() => 0).transport).toEqual({
      certificate: '',
      key: '',
      ca: '',
      verify: false,
      connectTimeout: 5_000,
    });
  });

  it('load the certificate of the proxy only with both files', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'proxy-'));
    const { certificate, key } = makeTestCertificate({ commonName: 'proxy' });
    const [certFile, keyFile] = [join(folder.path, 'crt'), join(folder.path, 'key')];
    writeFileSync(certFile, certificate);
    writeFileSync(keyFile, key);
    const { logger } = createTestLogger();
    const load = (...args: readonly string[]) => parsed(...args).aggregator.load(newServerContext({ logger }));
    const [withCert, withKey] = [`--proxy-client-cert-file=${certFile}`, `--proxy-client-key-file=${keyFile}`];
    const neither = { routeToEndpoints: false, rejectRedirects: true, certificate: undefined };
    expect([load(), load(withCert), load(withKey)]).toEqual([neither, neither, neither]);
    const routing = ['--enable-aggregator-routing', '--aggregator-reject-forwarding-redirect=false'];
    const loaded = load(withCert, withKey, ...routing);
    expect({ ...loaded, certificate: loaded.certificate?.contents }).toEqual({
      routeToEndpoints: true,
      rejectRedirects: false,
      certificate: [certificate, key],
    });
  });

  it('do not serve without APIServices', () => {
    const disabled = parsed('--runtime-config=apiregistration.k8s.io/v1=false');
    expect(() => disabled.apiEnablement.toResourceConfig()).toThrow(
      new Error('API group/version apiregistration.k8s.io/v1 must be enabled'),
    );
    const enabled = parsed('--runtime-config=batch/v1=false').apiEnablement.toResourceConfig();
    const jobs = { group: 'batch', version: 'v1', resource: 'jobs' };
    expect([jobs, { ...jobs, group: 'apps', resource: 'deployments' }].map((one) => enabled.isEnabled(one))).toEqual([
      false,
      true,
    ]);
  });

  it('keep the flags of one server', () => {
    const options = new KubeApiserverOptions();
    expect(options.flagSets()).toBe(options.flagSets());
  });
});

function usesEtcd(options: DataOptions): boolean {
  return options.usesEtcd;
}
