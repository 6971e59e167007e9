import type { PodSpec, SecurityContext } from '@apiserver/api/core/v1';
import { describe, expect, it } from 'vitest';
import { container } from '../testing/sample-objects.js';
import { evaluatePod } from './evaluate-pod.js';
import type { PodSecurityLevel } from './level-version.js';
import { formatReasons, formatViolations } from './violation.js';

/** Passes level restricted at every version. */
const HARDENED: SecurityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};
const hardened = (changes: SecurityContext = {}, name = 'c') =>
  container({ name, securityContext: { ...HARDENED, ...changes } });

interface Input {
  readonly spec?: Partial<PodSpec>;
  readonly annotations?: Record<string, string>;
}

/** The violations of a pod whose only container passes all checks, with changes. */
function problems(level: PodSecurityLevel, version: string, { spec = {}, annotations = {} }: Input): string {
  const pod = { metadata: { annotations }, spec: { containers: [hardened()], ...spec } };
  return formatViolations(evaluatePod({ level, version }, pod));
}

const of = (changes: SecurityContext): Input => ({ spec: { containers: [hardened(changes)] } });
const onPod = (securityContext: NonNullable<PodSpec['securityContext']>): Input => ({ spec: { securityContext } });
const annotated = (annotations: Record<string, string>): Input => ({ annotations });
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/c';
const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';

describe('level baseline', () => {
  it.each<[string, string, Input, string]>([
    ['nothing', 'latest', { spec: { containers: [container()] } }, ''],
    ['no containers', 'latest', { spec: { containers: null } }, ''],
    [
      'privileged',
      'v1.0',
      of({ privileged: true }),
      'privileged (container "c" must not set securityContext.privileged=true)',
    ],
    ['not privileged', 'latest', of({ privileged: false }), ''],
    [
      'host namespaces',
      'v1.0',
      { spec: { hostNetwork: true, hostPID: true, hostIPC: true } },
      'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
    ],
    [
      'a host path',
      'v1.0',
      {
        spec: {
          volumes: [
            { name: 'v', hostPath: { path: '/' } },
            { name: 'e', emptyDir: {} },
          ],
        },
      },
      'hostPath volumes (volume "v")',
    ],
    [
      'host ports in textual order',
      'v1.0',
      {
        spec: {
          containers: [
            container({ name: 'a', ports: [{ containerPort: 1, hostPort: 9 }, { containerPort: 2 }] }),
            container({ name: 'b', ports: [{ containerPort: 3, hostPort: 80 }] }),
            container({ ports: [{ containerPort: 3, hostPort: 0 }] }),
          ],
        },
      },
      'hostPort (containers "a", "b" use hostPorts 80, 9)',
    ],
    [
      'hosts of probes and handlers',
      'v1.34',
      {
        spec: {
          containers: [
            container({ name: 'b', livenessProbe: { httpGet: { port: 1, host: 'x' } } }),
            container({ name: 'a', lifecycle: { preStop: { tcpSocket: { port: 1, host: 'y' } } } }),
            container({ readinessProbe: { httpGet: { port: 1 } }, startupProbe: { tcpSocket: { port: 1, host: '' } } }),
          ],
        },
      },
      'probe or lifecycle host (containers "a", "b" use probe or lifecycle hosts "x", "y")',
    ],
    [
      'a host of a probe before that check',
      'v1.33',
      { spec: { containers: [container({ livenessProbe: { httpGet: { port: 1, host: 'x' } } })] } },
      '',
    ],
    [
      'processes of the host',
      'v1.0',
      {
        spec: {
          securityContext: { windowsOptions: { hostProcess: true } },
          ...of({ windowsOptions: { hostProcess: true } }).spec,
        },
      },
      'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
    ],
    [
      'AppArmor off',
      'v1.0',
      { ...onPod({ appArmorProfile: { type: 'Unconfined' } }), annotations: { [APPARMOR]: 'unconfined' } },
      `forbidden AppArmor profiles (pod and annotation must not set AppArmor profile type to "Unconfined", "${APPARMOR}="unconfined"")`,
    ],
    ['AppArmor of the host', 'v1.0', annotated({ [APPARMOR]: 'localhost/x' }), ''],
    [
      'SELinux',
      'v1.30',
      {
        spec: {
          securityContext: { seLinuxOptions: { type: 'spc_t' } },
          containers: [hardened({ seLinuxOptions: { type: 'container_engine_t', user: 'u', role: 'r' } })],
        },
      },
      'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: types "container_engine_t", "spc_t"; user may not be set; role may not be set)',
    ],
    ['the newest type of SELinux', 'v1.31', onPod({ seLinuxOptions: { type: 'container_engine_t' } }), ''],
    [
      'annotations of seccomp',
      'v1.18',
      annotated({ [SECCOMP]: 'unconfined', 'container.seccomp.security.alpha.kubernetes.io/c': 'docker/default' }),
      `seccompProfile (forbidden annotation ${SECCOMP}="unconfined")`,
    ],
    ['the same since seccomp has fields', 'v1.19', annotated({ [SECCOMP]: 'unconfined' }), ''],
    [
      'seccomp off',
      'v1.19',
      of({ seccompProfile: { type: 'Unconfined' } }),
      'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'capabilities',
      'v1.0',
      of({ capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_RAW'] } }),
      'non-default capabilities (container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      'an unmasked /proc',
      'v1.34',
      { spec: { hostUsers: false, ...of({ procMount: 'Unmasked' }).spec } },
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      'the same in a user namespace',
      'v1.35',
      { spec: { hostUsers: false, ...of({ procMount: 'Unmasked' }).spec } },
      '',
    ],
  ])('%s at %s', (_, version, input, expected) => {
    expect(problems('baseline', version, input)).toBe(expected);
  });

  it.each([
    ['kernel.sem', 99],
    ['kernel.shm_rmid_forced', 0],
    ['net.ipv4.ip_local_reserved_ports', 27],
    ['net.ipv4.tcp_keepalive_time', 29],
    ['net.ipv4.tcp_rmem', 32],
  ])('permits the sysctl %s since 1.%d', (name, since) => {
    const input = onPod({ sysctls: [{ name, value: '1' }] });
    const versions = Array.from({ length: 37 }, (_, minor) => minor);
    const refusing = versions.filter((minor) => problems('baseline', `v1.${minor}`, input) !== '');
    expect(refusing).toEqual(versions.filter((minor) => minor < since));
    if (since > 0) expect(problems('baseline', 'v1.0', input)).toBe(`forbidden sysctls (${name})`);
  });

  it('names a reason alone if its detail is empty', () => {
    expect(problems('baseline', 'v1.0', onPod({ sysctls: [{ name: '', value: '1' }] }))).toBe('forbidden sysctls');
  });
});

describe('level restricted', () => {
  const unset = { spec: { containers: [container({ name: 'a' }), container({ name: 'b' })] } };
  const UNPRIVILEGED =
    'allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false)';
  const DROPPED = 'unrestricted capabilities (containers "a", "b" must set securityContext.capabilities.drop=["ALL"])';
  const NON_ROOT = 'runAsNonRoot != true (pod or containers "a", "b" must set securityContext.runAsNonRoot=true)';
  const SECCOMP_SET =
    'seccompProfile (pod or containers "a", "b" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

  it.each<[string, string, Input, readonly string[]]>([
    ['a hardened pod', 'latest', {}, []],
    ['nothing set', 'v1.7', unset, [NON_ROOT]],
    ['nothing set', 'v1.8', unset, [UNPRIVILEGED, NON_ROOT]],
    ['nothing set', 'v1.19', unset, [UNPRIVILEGED, NON_ROOT, SECCOMP_SET]],
    ['nothing set', 'v1.22', unset, [UNPRIVILEGED, DROPPED, NON_ROOT, SECCOMP_SET]],
    [
      'nothing set, on Windows',
      'v1.24',
      { spec: { ...unset.spec, os: { name: 'windows' } } },
      [UNPRIVILEGED, DROPPED, NON_ROOT, SECCOMP_SET],
    ],
    ['nothing set, on Windows', 'v1.25', { spec: { ...unset.spec, os: { name: 'windows' } } }, [NON_ROOT]],
    [
      'nothing set, in a user namespace',
      'v1.35',
      { spec: { ...unset.spec, hostUsers: false } },
      [UNPRIVILEGED, DROPPED, SECCOMP_SET],
    ],
    [
      'set on the pod alone',
      'latest',
      { spec: { ...unset.spec, securityContext: { runAsNonRoot: true, seccompProfile: { type: 'Localhost' } } } },
      [UNPRIVILEGED, DROPPED],
    ],
    [
      'root',
      'v1.23',
      {
        spec: { securityContext: { runAsUser: 0, runAsNonRoot: false }, containers: [hardened({ runAsUser: 0 }, 'a')] },
      },
      [
        'runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)',
        'runAsUser=0 (pod and container "a" must not set runAsUser=0)',
      ],
    ],
    ['user 0', 'v1.22', of({ runAsUser: 0 }), []],
    ['user 0 in a user namespace', 'v1.35', { spec: { hostUsers: false, ...of({ runAsUser: 0 }).spec } }, []],
    [
      'capabilities',
      'latest',
      of({ capabilities: { drop: ['NET_RAW'], add: ['NET_BIND_SERVICE', 'CHOWN'] } }),
      [
        'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "CHOWN" in securityContext.capabilities.add)',
      ],
    ],
    [
      'a bad profile of seccomp beside a missing one',
      'latest',
      {
        spec: {
          containers: [hardened({ seccompProfile: { type: 'Unconfined' } }), hardened({}, 'b')],
          initContainers: [container({ name: 'i', securityContext: { ...HARDENED, seccompProfile: { type: '' } } })],
        },
      },
      ['seccompProfile (containers "i", "c" must not set securityContext.seccompProfile.type to "", "Unconfined")'],
    ],
    [
      'an unmasked /proc in a user namespace',
      'latest',
      { spec: { hostUsers: false, ...of({ procMount: 'Unmasked' }).spec } },
      ['procMount (container "c" must not set securityContext.procMount to "Unmasked")'],
    ],
    [
      'volumes',
      'v1.0',
      {
        spec: {
          volumes: [
            { name: 'h', hostPath: { path: '/' } },
            { name: 'n', nfs: { server: 's', path: '/' } },
            { name: 'u' },
            { name: 'i', image: {} },
          ],
        },
      },
      ['restricted volume types (volumes "h", "n", "u" use restricted volume types "hostPath", "nfs", "unknown")'],
    ],
  ])('%s at %s', (_, version, input, expected) => {
    expect(problems('restricted', version, input)).toBe(expected.join(', '));
  });

  it('checks containers of all types, and includes baseline first', () => {
    const spec = {
      hostPID: true,
      containers: [container({ name: 'b' })],
      initContainers: [container({ name: 'a' })],
      ephemeralContainers: [{ ...container({ name: 'c' }) }],
    };
    const violations = evaluatePod({ level: 'restricted', version: 'v1.8' }, { spec });
    expect(formatReasons(violations)).toBe('host namespaces, allowPrivilegeEscalation != false, runAsNonRoot != true');
    expect(violations[1]?.detail).toContain('containers "a", "b", "c" must');
  });
});

it('permits everything at level privileged', () => {
  expect(problems('privileged', 'latest', { spec: { hostPID: true } })).toBe('');
});
