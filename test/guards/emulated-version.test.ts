import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKubeApiserver } from '@apiserver/kube-apiserver';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, paths } from './objects.ts';

describe('--emulated-version', () => {
  const server = assembledServer('--emulated-version=1.35');
  const names = async (path: string): Promise<readonly string[]> =>
    (await server.ask('GET', path)).body.resources.map(({ name }: { name: string }) => name);

  it('stands in /version and in metrics', async () => {
    const { body } = await server.ask('GET', '/version');
    expect(body).toMatchObject({ minor: '36', emulationMinor: '35', minCompatibilityMinor: '34' });
    const { body: text } = await server.askRaw('GET', '/metrics');
    expect(text).toContain(
      'version_info{binary="1.36.0+apiserver.0.1.0",component="kube",emulation="1.35",min_compat="1.34"} 1',
    );
    expect(text).toContain('kubernetes_feature_enabled{name="StrictIPCIDRValidation",stage="ALPHA"} 0');
    expect(text).not.toContain('name="NativeHistograms"');
  });

  it('serves no later resources', async () => {
    expect(await names('/apis/admissionregistration.k8s.io/v1')).not.toContain('mutatingadmissionpolicies');
    expect((await server.ask('GET', '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies')).code).toBe(404);
    expect((await server.ask('GET', '/readyz')).code).toBe(200);
  });

  it('follows its rules', async () => {
    const spec = { ports: [{ port: 80 }] };
    const path = paths.in('default', 'services');
    expect((await server.ask('POST', path, core('Service', '1st', { spec }))).code).toBe(422);
    const old = core('Service', 'old', { spec: { ...spec, externalIPs: ['010.1.2.3'] } });
    expect((await server.ask('POST', path, old)).code).toBe(201);
  });
});

describe('--runtime-config of later resources', () => {
  const forward = assembledServer(
    ...['--emulated-version=1.35', '--runtime-config-emulation-forward-compatible'],
    '--runtime-config=admissionregistration.k8s.io/v1/mutatingadmissionpolicies=true',
  );

  it('serves them with forward compatibility', async () => {
    expect((await forward.ask('GET', '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies')).code).toBe(
      200,
    );
  });

  it('is refused without it', async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'guards-'));
    onTestFinished(() => rmSync(dataDirectory, { recursive: true }));
    const flags = [
      '--emulated-version=1.35',
      '--runtime-config=admissionregistration.k8s.io/v1/mutatingadmissionpolicies=true',
    ];
    await expect(startKubeApiserver({ dataDirectory, storageBackend: 'memory', flags })).rejects.toThrow(
      'cannot enable resource admissionregistration.k8s.io/v1, Resource=mutatingadmissionpolicies in runtime-config because it is introduced at 1.36 after the current version 1.35. Consider setting --runtime-config-emulation-forward-compatible=true',
    );
  });
});
