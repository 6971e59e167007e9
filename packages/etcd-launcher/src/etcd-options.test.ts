import { describe, expect, it } from 'vitest';
import { readEtcdOptions } from './etcd-options.js';

const client = ['--listen-client-urls=http://127.0.0.1:1', '--advertise-client-urls=http://127.0.0.1:1'];

describe('readEtcdOptions', () => {
  it('has etcd’s defaults', () => {
    const { dataDirectory, listenUrls, ...rest } = readEtcdOptions([], {});
    expect([dataDirectory.endsWith('/default.etcd'), listenUrls.map(String)]).toEqual([
      true,
      ['http://localhost:2379/'],
    ]);
    expect(rest).toEqual({
      printVersion: false,
      tls: {
        certFile: '',
        keyFile: '',
        trustedCAFile: '',
        clientCertAuth: false,
        minVersion: 'TLS1.2',
        maxVersion: '',
      },
      fsync: true,
      logLevel: 'info',
      logOutputs: ['default'],
      withoutEffect: [],
    });
  });

  it('understands what envtest says, in one dash or two, with = or without', () => {
    const args = [...client, '-listen-peer-urls', 'http://127.0.0.1:2', '--data-dir=/d', '-unsafe-no-fsync=true'];
    const { dataDirectory, fsync, listenUrls } = readEtcdOptions(args, {});
    expect([dataDirectory, fsync, listenUrls.map(String)]).toEqual(['/d', false, ['http://127.0.0.1:1/']]);
  });

  it('reads variables where the command line says nothing', () => {
    const variables = { ETCD_DATA_DIR: '/from-variable', ETCD_UNSAFE_NO_FSYNC: '1', ETCD_LOG_LEVEL: 'debug' };
    const { dataDirectory, fsync, logLevel } = readEtcdOptions(['--data-dir=/from-flag'], variables);
    expect([dataDirectory, fsync, logLevel]).toEqual(['/from-flag', false, 'debug']);
  });

  it('names the flags that change nothing here', () => {
    const args = ['--heartbeat-interval=100', '--pre-vote', '--snapshot', '--auto-compaction-retention', '5m'];
    expect(readEtcdOptions(args, {}).withoutEffect).toEqual([
      'heartbeat-interval',
      'pre-vote',
      'snapshot',
      'auto-compaction-retention',
    ]);
  });

  it.each<[readonly string[], string]>([
    [['--nope'], 'flag provided but not defined: -nope'],
    [['--data-dir'], 'flag needs an argument: -data-dir'],
    [['--=x'], 'bad flag syntax: --=x'],
    [['---x'], 'bad flag syntax: ---x'],
    [['--unsafe-no-fsync=maybe'], 'invalid boolean value "maybe" for -unsafe-no-fsync: parse error'],
    [['--heartbeat-interval=-1'], 'invalid value "-1" for flag -heartbeat-interval: parse error'],
    [['--corrupt-check-time=1'], 'invalid value "1" for flag -corrupt-check-time: parse error'],
    [['extra', '--nope'], '"extra" is not a valid flag'],
    [
      ['--listen-client-urls=http://127.0.0.1:1'],
      '--advertise-client-urls is required when --listen-client-urls is set explicitly',
    ],
    [['--listen-peer-urls=http://somewhere:1'], 'expected IP in URL for binding (http://somewhere:1)'],
    [
      ['--listen-metrics-urls=http://127.0.0.1'],
      'invalid value "http://127.0.0.1" for flag -listen-metrics-urls: URL address does not have the form "host:port": http://127.0.0.1',
    ],
    [
      ['--listen-metrics-urls=ftp://127.0.0.1:1'],
      'invalid value "ftp://127.0.0.1:1" for flag -listen-metrics-urls: URL scheme must be http, https, unix, or unixs: ftp://127.0.0.1:1',
    ],
    [['--log-level=loud'], 'unrecognized level: "loud"'],
    [
      ['--initial-cluster=a=http://127.0.0.1:1,b=http://127.0.0.1:2'],
      'this etcd has one member: --initial-cluster cannot name more, nor be an existing cluster',
    ],
    [
      ['--client-crl-file=x', '--auto-tls'],
      'this etcd only hands a folder to a kube-apiserver; not built: --client-crl-file, --auto-tls',
    ],
  ])('%j is refused', (args, message) => {
    expect(() => readEtcdOptions(args, {})).toThrow(expect.objectContaining({ message }));
  });
});
