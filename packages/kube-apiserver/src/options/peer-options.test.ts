import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { NamedFlagSets } from '@apiserver/component-base/flags';
import { newServerContext } from '@apiserver/generic-server';
import { expect, it } from 'vitest';
import { PeerOptions } from './peer-options.js';

function parsed(...args: readonly string[]): PeerOptions {
  const options = new PeerOptions();
  const sets = new NamedFlagSets();
  options.addFlags(sets.section('misc'));
  sets.parse(args.map((arg) => `--coordinated-leadership-${arg}`));
  return options;
}

it.each<[readonly string[], readonly string[]]>([
  [[], []],
  [['lease-duration=5s', 'renew-deadline=3s', 'retry-period=1s'], []],
  [
    ['lease-duration=10s'],
    ['--coordinated-leadership-lease-duration must be greater than --coordinated-leadership-renew-deadline'],
  ],
  [
    ['renew-deadline=2400ms'],
    ['--coordinated-leadership-renew-deadline must be greater than --coordinated-leadership-retry-period*JitterFactor'],
  ],
  [['retry-period=0'], ['--coordinated-leadership-retry-period must be greater than zero']],
])('%j: %j', (args, messages) => {
  expect(
    parsed(...args)
      .validate(true)
      .map(({ message }) => message),
  ).toEqual(messages);
});

it('refuses the flags of peers without the feature gate', () => {
  const options = new PeerOptions();
  Object.assign(options, { caFile: 'ca.crt', advertiseIp: '192.0.2.1', advertisePort: '6443' });
  expect(options.validate(true)).toEqual([]);
  expect(options.validate(false).map(({ message }) => message)).toEqual([
    '--peer-ca-file requires UnknownVersionInteroperabilityProxy feature to be turned on',
    '--peer-advertise-ip requires UnknownVersionInteroperabilityProxy feature to be turned on',
    '--peer-advertise-port requires UnknownVersionInteroperabilityProxy feature to be turned on',
  ]);
});

it('advertises an address only with a port', () => {
  const options = new PeerOptions();
  options.advertiseIp = '192.0.2.1';
  expect(options.advertised).toBeUndefined();
  options.advertisePort = '6443';
  expect(options.advertised).toEqual({ ip: '192.0.2.1', port: '6443' });
});

it('loads the proxy only for a file of authorities, with a client certificate', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'peers-'));
  const caFile = join(folder.path, 'ca.crt');
  writeFileSync(caFile, 'nothing');
  const options = new PeerOptions();
  const files = { proxyClientCertFile: 'p.crt', proxyClientKeyFile: 'p.key' };
  const process = newServerContext(createTestLogger());
  expect(await options.loadProxy(files, process)).toBeUndefined();
  options.caFile = caFile;
  await expect(options.loadProxy({ ...files, proxyClientCertFile: '' }, process)).rejects.toThrow(
    'error building peer proxy handler, proxy-cert-file not specified',
  );
  await expect(options.loadProxy({ ...files, proxyClientKeyFile: '' }, process)).rejects.toThrow(
    'error building peer proxy handler, proxy-key-file not specified',
  );
  await expect(options.loadProxy(files, process)).rejects.toThrow('unable to load root certificates');
  const { certificate } = makeTestCertificate({ authority: true });
  writeFileSync(caFile, certificate);
  const loaded = await options.loadProxy(files, process);
  expect([loaded?.ca(), loaded?.add]).toEqual([certificate, expect.any(Function)]);
});

it('has upstream’s timers by default', () => {
  expect(parsed().timers).toEqual({ leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 });
});
