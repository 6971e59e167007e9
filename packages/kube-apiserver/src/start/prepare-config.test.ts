import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { observed } from '@apiserver/apiserver-contracts';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { silentLogger } from '@apiserver/component-base/logging';
import { portRangeStorage } from '@apiserver/controlplane';
import { newServerContext } from '@apiserver/generic-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { completeOptions } from '../options/complete-options.js';
import { KubeApiserverOptions } from '../options/kube-apiserver-options.js';
import { optionsFingerprint } from '../options/options-fingerprint.js';
import { type PrepareConfigOptions, prepareKubeApiServerConfig } from './prepare-config.js';
import { SharedContext } from './shared-context.js';

let dataDirectory: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'prepare-'));
});
afterEach(() => rmSync(dataDirectory, { recursive: true }));

function options(): KubeApiserverOptions {
  const options = new KubeApiserverOptions();
  options.flagSets().parse([`--data-dir=${dataDirectory}`, '--secure-port=0', '--bind-address=127.0.0.1']);
  return options;
}

const objects = [{ key: 'namespaces/default', text: '{"metadata":{"uid":"{uid}","creationTimestamp":"{time}"}}' }];

/** A file of the build for servers with these options, or with `fingerprint`. */
function builtFile(fingerprint?: string): string {
  const completed = completeOptions(options(), { dataDirectory, isOnEtcd: false, logger: silentLogger });
  const file = join(dataDirectory, 'first-objects.json');
  writeFileSync(file, JSON.stringify({ fingerprint: fingerprint ?? optionsFingerprint(completed), objects }));
  return file;
}

/** The config of a server says this of its store. */
async function hasPolicy(settings: PrepareConfigOptions): Promise<boolean> {
  const context = newServerContext({ logger: silentLogger });
  const { config } = await prepareKubeApiServerConfig(options(), context, { isFinal: true, ...settings });
  await context.disposables.disposeAsync();
  return config.hasPolicy;
}

it('knows that an empty store got the policy of the build, which no later start finds unchanged', async () => {
  const firstObjects = builtFile();
  expect([await hasPolicy({ firstObjects }), await hasPolicy({ firstObjects })]).toEqual([true, false]);
});

it('reconciles the policy of a config that a program may change', async () => {
  expect(await hasPolicy({ firstObjects: builtFile(), isFinal: false })).toBe(false);
});

it.each([
  ['there is no file', () => undefined],
  ['the file is of servers with other options', () => builtFile('other options')],
])('reconciles the policy where %s', async (_, file) => {
  expect(await hasPolicy({ firstObjects: file() })).toBe(false);
});

it('checks a serving pair at the start that an operator has put into the folder', async () => {
  const areCertificatesOwn = async () => {
    const context = newServerContext({ logger: silentLogger });
    const { config } = await prepareKubeApiServerConfig(options(), context);
    await context.disposables.disposeAsync();
    return config.generic.secureServing?.areCertificatesOwn;
  };
  const own = await areCertificatesOwn();
  const { certificate, key } = makeTestCertificate({ commonName: 'brought' });
  writeFileSync(join(dataDirectory, 'pki', 'apiserver.crt'), certificate);
  writeFileSync(join(dataDirectory, 'pki', 'apiserver.key'), key);
  expect([own, await areCertificatesOwn()]).toEqual([true, false]);
});

it('shares the objects of the build with further servers of the process', async () => {
  const shared = new SharedContext();
  const context = newServerContext({ logger: silentLogger });
  const settings = { firstObjects: builtFile(), shared };
  const { config } = await prepareKubeApiServerConfig(options(), context, settings);
  await shared.started(config.storage.stores.main, '/registry');
  await context.disposables.disposeAsync();
  const completed = completeOptions(options(), { dataDirectory, isOnEtcd: false, logger: silentLogger });
  expect([
    shared.firstObjects(optionsFingerprint(completed)),
    shared.knownObjects(config.storage.stores.main)() === undefined,
  ]).toEqual([objects, false]);
});

it.each<[string, readonly string[], boolean]>([
  ['nobody is told', [], false],
  ['the audit is told', ['--audit-policy-file', '--audit-log-path'], true],
  ['the tracer is told', ['--tracing-config-file'], true],
])('measures the work of the store if somebody is told: %s', async (_, flags, isObserved) => {
  const file = (name: string, text: string) => {
    const path = join(dataDirectory, name);
    writeFileSync(path, text);
    return path;
  };
  const values: Readonly<Record<string, string>> = {
    '--audit-policy-file': file('audit.yaml', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]'),
    '--audit-log-path': join(dataDirectory, 'audit.log'),
    '--tracing-config-file': file('tracing.yaml', 'apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration'),
  };
  const given = options();
  given.flagSets().parse(flags.map((flag) => `${flag}=${values[flag]}`));
  const context = newServerContext({ logger: silentLogger });
  const { config } = await prepareKubeApiServerConfig(given, context);
  const spent: string[] = [];
  const audit = { spend: (kind: string) => void spent.push(kind) };
  const storage = config.storage.provider.storageFor(portRangeStorage);
  await observed({ audit: audit as never, span: undefined, auditId: 'id' }, () =>
    storage.get('ranges/servicenodeports', {}).catch(() => undefined),
  );
  await context.disposables.disposeAsync();
  expect(spent.length > 0).toBe(isObserved);
});
