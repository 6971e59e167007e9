import { expect, it } from 'vitest';
import { podFaults } from '../../testing/pod-faults.js';

const CONTEXT = 'spec.containers[0].securityContext';

it.each<[string, object, readonly string[]]>([
  [
    'an odd security context of a container',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: {
            runAsUser: -1,
            runAsGroup: -1,
            procMount: 'Odd',
            privileged: true,
            allowPrivilegeEscalation: false,
            capabilities: { add: ['CAP_SYS_ADMIN'] },
          },
        },
      ],
    },
    [
      `${CONTEXT}.privileged: Forbidden: disallowed by cluster policy`,
      `${CONTEXT}.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive`,
      `${CONTEXT}.runAsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive`,
      `${CONTEXT}.procMount: Unsupported value: "Odd": supported values: "Default", "Unmasked"`,
      `${CONTEXT}: Invalid value: {"Capabilities":{"Add":["CAP_SYS_ADMIN"],"Drop":null},"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":-1,"RunAsGroup":-1,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":"Odd","SeccompProfile":null,"AppArmorProfile":null}: cannot set \`allowPrivilegeEscalation\` to false and \`privileged\` to true`,
      `${CONTEXT}: Invalid value: {"Capabilities":{"Add":["CAP_SYS_ADMIN"],"Drop":null},"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":-1,"RunAsGroup":-1,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":"Odd","SeccompProfile":null,"AppArmorProfile":null}: cannot set \`allowPrivilegeEscalation\` to false and \`capabilities.Add\` CAP_SYS_ADMIN`,
    ],
  ],
  [
    'an unmasked /proc without a user namespace',
    { containers: [{ name: 'c', image: 'i', securityContext: { procMount: 'Unmasked' } }] },
    [`${CONTEXT}.procMount: Invalid value: "Unmasked": \`hostUsers\` must be false to use \`Unmasked\``],
  ],
  [
    'an odd security context',
    {
      securityContext: {
        runAsUser: -1,
        runAsGroup: -1,
        fsGroup: -1,
        supplementalGroups: [-1],
        fsGroupChangePolicy: 'Odd',
        supplementalGroupsPolicy: 'Odd',
        sysctls: [
          { name: '', value: '' },
          { name: 'a..b', value: '' },
          { name: 'kernel.shm_rmid_forced', value: '1' },
          { name: 'kernel.shm_rmid_forced', value: '1' },
        ],
      },
    },
    [
      'spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.runAsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.supplementalGroups[0]: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.sysctls[0].name: Required value',
      `spec.securityContext.sysctls[1].name: Invalid value: "a..b": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`,
      'spec.securityContext.sysctls[3].name: Duplicate value: "kernel.shm_rmid_forced"',
      'spec.securityContext.fsGroupChangePolicy: Unsupported value: "Odd": supported values: "Always", "OnRootMismatch"',
      'spec.securityContext.supplementalGroupsPolicy: Unsupported value: "Odd": supported values: "Merge", "Strict"',
    ],
  ],
  [
    'odd seccomp profiles',
    {
      securityContext: { seccompProfile: { type: 'Localhost' } },
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: { seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'p' } },
        },
      ],
    },
    [
      `${CONTEXT}.seccompProfile.localhostProfile: Invalid value: {"Type":"RuntimeDefault","LocalhostProfile":"p"}: can only be set when seccomp type is Localhost`,
      'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
    ],
  ],
  [
    'more seccomp profiles',
    {
      securityContext: { seccompProfile: { type: '' } },
      containers: [{ name: 'c', image: 'i', securityContext: { seccompProfile: { type: 'Odd' } } }],
    },
    [
      `${CONTEXT}.seccompProfile.type: Unsupported value: "Odd": supported values: "Localhost", "RuntimeDefault", "Unconfined"`,
      'spec.securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set',
    ],
  ],
  [
    'seccomp profiles of odd paths',
    {
      securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: '/p' } },
      containers: [
        { name: 'c', image: 'i', securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: '../p' } } },
      ],
    },
    [
      `${CONTEXT}.seccompProfile.localhostProfile: Invalid value: "../p": must not contain '..'`,
      'spec.securityContext.seccompProfile.localhostProfile: Invalid value: "/p": must be a relative path',
    ],
  ],
  [
    'an odd system, and Linux fields on Windows',
    { os: { name: 'odd' } },
    ['spec.os: Unsupported value: "odd": supported values: "linux", "windows"'],
  ],
  [
    'Linux fields on Windows',
    {
      os: { name: 'windows' },
      hostIPC: true,
      shareProcessNamespace: true,
      securityContext: {
        runAsUser: 1,
        fsGroup: 1,
        seLinuxOptions: { level: 'a' },
        sysctls: [],
        supplementalGroups: [1],
        seccompProfile: { type: 'Unconfined' },
      },
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: {
            privileged: false,
            readOnlyRootFilesystem: true,
            capabilities: {},
            runAsGroup: 1,
            procMount: 'Default',
          },
        },
      ],
    },
    [
      'spec.securityContext.seLinuxOptions: Forbidden: cannot be set for a windows pod',
      'spec.hostIPC: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.seccompProfile: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod',
      'spec.shareProcessNamespace: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.supplementalGroups: Forbidden: cannot be set for a windows pod',
      `${CONTEXT}.capabilities: Forbidden: cannot be set for a windows pod`,
      `${CONTEXT}.readOnlyRootFilesystem: Forbidden: cannot be set for a windows pod`,
      `${CONTEXT}.privileged: Forbidden: cannot be set for a windows pod`,
      `${CONTEXT}.procMount: Forbidden: cannot be set for a windows pod`,
      `${CONTEXT}.runAsGroup: Forbidden: cannot be set for a windows pod`,
    ],
  ],
  [
    'Windows fields on Linux',
    {
      os: { name: 'linux' },
      securityContext: { windowsOptions: { runAsUserName: 'u' } },
      containers: [{ name: 'c', image: 'i', securityContext: { windowsOptions: { runAsUserName: 'u' } } }],
    },
    [
      'spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
      `${CONTEXT}.windowsOptions: Forbidden: windows options cannot be set for a linux pod`,
    ],
  ],
  [
    'host users of its own, with the network of the host',
    { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true, containers: [{ name: 'c', image: 'i' }] },
    [
      'spec.hostNetwork: Forbidden: when `hostUsers` is false',
      'spec.HostPID: Forbidden: when `hostUsers` is false',
      'spec.HostIPC: Forbidden: when `hostUsers` is false',
    ],
  ],
])('a pod with %s', (_what, spec, faults) => {
  expect(podFaults(spec)).toEqual(faults);
});
