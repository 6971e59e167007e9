import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();

const CONFIGURATION = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AdmissionConfiguration',
  plugins: [
    {
      name: 'PodSecurity',
      configuration: {
        apiVersion: 'pod-security.admission.config.k8s.io/v1',
        kind: 'PodSecurityConfiguration',
        defaults: { warn: 'baseline' },
        exemptions: { namespaces: ['exempt'] },
      },
    },
  ],
};

const pod = (name: string, spec: object = {}, metadata: object = { name }) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const privileged = { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] };

/** Level restricted on a pod without any settings. */
const UNSET =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';
const UNSET_REASONS =
  'allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile';

describe.skipIf(missing !== undefined)(`kubectl and Pod Security${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const folder = temporaryDirectory('pod-security');
  let server: ApiServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    mkdirSync(folder.path, { recursive: true });
    const config = join(folder.path, 'admission.json');
    writeFileSync(config, JSON.stringify(CONFIGURATION));
    // No controller makes service accounts here.
    server = await startApiServer({
      args: [
        `--admission-control-config-file=${config}`,
        '--disable-admission-plugins=ServiceAccount',
        '--allow-privileged',
      ],
    });
    kubectl = new Kubectl(server.kubeconfig);
    for (const name of ['strict', 'existing', 'exempt', 'bad']) await kubectl.ok(['create', 'namespace', name]);
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const label = (namespace: string, ...labels: readonly string[]) =>
    kubectl.run(['label', 'namespace', namespace, ...labels.map((text) => `pod-security.kubernetes.io/${text}`)]);
  /** Creates an object from a file; returns the lines of stderr. */
  const create = async (namespace: string, object: object, ...args: readonly string[]) => {
    const file = join(folder.path, 'object.json');
    writeFileSync(file, JSON.stringify(object));
    const { stderr } = await kubectl.run(['create', '-n', namespace, '-f', file, ...args]);
    return stderr.replaceAll(file, 'FILE').trim().split('\n');
  };

  it('label warns of existing pods that the new level forbids', async () => {
    await create('existing', pod('b'));
    await create('existing', pod('a'));
    await create('existing', pod('c', { hostNetwork: true, hostPID: true }));
    const { stderr } = await label('existing', 'enforce=restricted');
    expect(stderr.trim().split('\n')).toEqual([
      'Warning: existing pods in namespace "existing" violate the new PodSecurity enforce level "restricted:latest"',
      `Warning: a (and 1 other pod): ${UNSET_REASONS}`,
      `Warning: c: host namespaces, ${UNSET_REASONS}`,
    ]);
  });

  it('a pod is refused, by its generated name too, and in a dry run', async () => {
    await label('strict', 'enforce=baseline', 'warn=restricted');
    const violation =
      'violates PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)';
    const refused = [`Error from server (Forbidden): error when creating "FILE": pods "p" is forbidden: ${violation}`];
    expect(await create('strict', pod('p', privileged))).toEqual(refused);
    expect(await create('strict', pod('p', privileged), '--dry-run=server')).toEqual(refused);
    const [generated = ''] = await create('strict', pod('', privileged, { generateName: 'g-' }));
    expect(generated).toMatch(/pods "g-[a-z0-9]{5}" is forbidden: violates PodSecurity "baseline:latest": privileged/);
    expect(await create('strict', pod('p'))).toEqual([
      `Warning: would violate PodSecurity "restricted:latest": ${UNSET}`,
    ]);
  });

  it('a workload is admitted with a warning', async () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { app: 'd' } },
        template: { metadata: { labels: { app: 'd' } }, spec: pod('', { hostIPC: true }).spec },
      },
    };
    expect(await create('default', deployment)).toEqual([
      'Warning: would violate PodSecurity "baseline:latest": host namespaces (hostIPC=true)',
    ]);
    expect(await create('exempt', deployment)).toEqual(['']);
  });

  it('labels are validated, and have no effect on an exempt namespace', async () => {
    const { code, stderr } = await label('bad', 'enforce=strict');
    expect([code, stderr.trim()]).toEqual([
      1,
      'The Namespace "bad" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted',
    ]);
    expect((await label('exempt', 'enforce=baseline', 'enforce-version=v1.30')).stderr.trim()).toBe(
      'Warning: namespace "exempt" is exempt from Pod Security, and the policy (enforce=baseline:v1.30) will be ignored',
    );
    expect(await create('exempt', pod('p', privileged))).toEqual(['']);
  });

  it('an ephemeral container is checked, a new label is not', async () => {
    await label('strict', 'enforce=baseline', '--overwrite');
    const { stderr } = await kubectl.run(['label', 'pod', 'p', '-n', 'strict', 'a=b']);
    expect(stderr).toBe('');
    const debug = ['debug', 'p', '-n', 'strict', '--image=i', '--profile=sysadmin', '--attach=false'];
    expect((await kubectl.run(debug)).stderr).toContain(
      'pods "p" is forbidden: violates PodSecurity "baseline:latest": privileged (container "debugger-',
    );
  });
});
