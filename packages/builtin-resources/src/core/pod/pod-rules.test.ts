import type { Pod } from '@apiserver/api/core/v1';
import { aggregateFieldErrors, type FieldError } from '@apiserver/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { sentPod } from '../../testing/sent-pod.js';
import { DEFAULT_POD_FEATURES } from '../pod-spec/pod-features.js';
import { validatePodStatusUpdate } from './status-validation.js';
import { validatePodUpdate } from './update-validation.js';
import { validatePod } from './validation.js';

function pod(spec: object, annotations: Readonly<Record<string, string>> = {}, status: object = {}): Pod {
  return sentPod(spec, status, annotations);
}

const messages = (errors: readonly FieldError[]) => errors.map((error) => aggregateFieldErrors([error]));
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/c';
const sysctls = (name: string) => ({ securityContext: { sysctls: [{ name, value: '1' }] } });
const required = (term: object) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
});
const TERM = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]';
const expression = (operator: string, values?: readonly string[]) =>
  required({ matchExpressions: [{ key: 'k', operator, ...(values && { values }) }] });
const nodeField = (key: string, operator: string, values: readonly string[]) =>
  required({ matchFields: [{ key, operator, values }] });
const spread = (more: object) => ({
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {}, ...more },
  ],
});
const claims = (...of: readonly object[]) => ({
  resourceClaims: [
    { name: 'x', resourceClaimName: 'x' },
    { name: 'y', resourceClaimName: 'y' },
  ],
  containers: [{ name: 'c', image: 'i', resources: { claims: of } }],
});
const CLAIMS = 'spec.containers[0].resources.claims';

const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const windowsUser = (runAsUserName: string) => ({ securityContext: { windowsOptions: { runAsUserName } } });
const mounting = { securityContext: { seLinuxChangePolicy: 'MountOption' } };

describe('a new pod', () => {
  it.each<[string, object, readonly string[]]>([
    ['a Windows user that begins with a period', windowsUser('.ann'), []],
    [
      'a Windows user of periods',
      windowsUser('..'),
      [
        'spec.securityContext.windowsOptions.runAsUserName: Invalid value: "..": runAsUserName\'s User cannot contain only periods or spaces',
      ],
    ],
    ['no host processes, said for Windows', { os: { name: 'windows' }, hostPID: false }, []],
    ['an empty list of sysctls for Windows', { os: { name: 'windows' }, securityContext: { sysctls: [] } }, []],
    [
      'host processes on Windows',
      { os: { name: 'windows' }, hostPID: true },
      ['spec.hostPID: Forbidden: cannot be set for a windows pod'],
    ],
    [
      'a way to change SELinux labels that has no gate',
      mounting,
      ['spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"'],
    ],
    ['sysctl of its own net', sysctls('net.ipv4.tcp_syncookies'), []],
    [
      'sysctl of the host’s net',
      { hostNetwork: true, ...sysctls('net.ipv4.tcp_syncookies') },
      [
        'spec.securityContext.sysctls[0].name: Invalid value: "net.ipv4.tcp_syncookies": may not be specified when \'hostNetwork\' is true',
      ],
    ],
    [
      'sysctl of the host’s ipc',
      { hostIPC: true, ...sysctls('kernel.shm_rmid_forced') },
      [
        'spec.securityContext.sysctls[0].name: Invalid value: "kernel.shm_rmid_forced": may not be specified when \'hostIPC\' is true',
      ],
    ],
    ['sysctl of ipc beside the host’s net', { hostNetwork: true, ...sysctls('kernel.shm_rmid_forced') }, []],
    [
      'sysctl without a form',
      sysctls('A B'),
      [
        'spec.securityContext.sysctls[0].name: Invalid value: "A B": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
      ],
    ],
    [
      'In without values',
      expression('In'),
      [`${TERM}.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`],
    ],
    ['In', expression('In', ['a']), []],
    [
      'NotIn without values',
      expression('NotIn'),
      [`${TERM}.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`],
    ],
    ['Exists', expression('Exists'), []],
    [
      'Exists with values',
      expression('Exists', ['a']),
      [
        `${TERM}.matchExpressions[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
      ],
    ],
    [
      'DoesNotExist with values',
      expression('DoesNotExist', ['a']),
      [
        `${TERM}.matchExpressions[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
      ],
    ],
    ['Gt', expression('Gt', ['1']), []],
    [
      'Gt of two',
      expression('Gt', ['1', '2']),
      [
        `${TERM}.matchExpressions[0].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`,
      ],
    ],
    [
      'Lt of none',
      expression('Lt'),
      [
        `${TERM}.matchExpressions[0].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`,
      ],
    ],
    [
      'another operator',
      expression('Like', ['a']),
      [`${TERM}.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator`],
    ],
    ['the name of a node', nodeField('metadata.name', 'In', ['n']), []],
    [
      'a name that no node has',
      nodeField('metadata.name', 'In', ['N!']),
      [
        `${TERM}.matchFields[0].values[0]: Invalid value: "N!": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    ],
    [
      'two names',
      nodeField('metadata.name', 'In', ['n', 'm']),
      [
        `${TERM}.matchFields[0].values: Required value: must be only one value when \`operator\` is 'In' or 'NotIn' for node field selector`,
      ],
    ],
    [
      'another field of a node',
      nodeField('metadata.uid', 'In', ['n']),
      [`${TERM}.matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key`],
    ],
    [
      'any name',
      nodeField('metadata.name', 'Exists', []),
      [`${TERM}.matchFields[0].operator: Invalid value: "Exists": not a valid selector operator`],
    ],
    ['one domain at least', spread({ minDomains: 1 }), []],
    [
      'no domain',
      spread({ minDomains: 0 }),
      ['spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero'],
    ],
    [
      'domains of a wish',
      spread({ minDomains: 1, whenUnsatisfiable: 'ScheduleAnyway' }),
      [
        'spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      ],
    ],
    [
      'no skew',
      spread({ maxSkew: 0 }),
      ['spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero'],
    ],
    [
      'a key beside no selector',
      { ...spread({ labelSelector: undefined, matchLabelKeys: ['a'] }) },
      [
        'spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
      ],
    ],
    [
      'a key that is none',
      spread({ matchLabelKeys: ['A B'] }),
      [
        "spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: \"A B\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    ],
    ['two claims', claims({ name: 'x' }, { name: 'y' }), []],
    ['a claim twice', claims({ name: 'x' }, { name: 'x' }), [`${CLAIMS}[1]: Duplicate value: "x"`]],
    ['two requests of a claim', claims({ name: 'x', request: 'a' }, { name: 'x', request: 'b' }), []],
    [
      'a request twice',
      claims({ name: 'x', request: 'a' }, { name: 'x', request: 'a' }),
      [`${CLAIMS}[1]: Duplicate value: "x/a"`],
    ],
    [
      'a claim after its request',
      claims({ name: 'x', request: 'a' }, { name: 'x' }),
      [`${CLAIMS}[1]: Duplicate value: "x"`],
    ],
    [
      'a request after its claim',
      claims({ name: 'x' }, { name: 'x', request: 'a' }),
      [`${CLAIMS}[1]: Duplicate value: "x"`],
    ],
    [
      'a request that is none',
      claims({ name: 'x', request: 'A' }),
      [
        `${CLAIMS}[0].request: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      'a claim that is not there',
      claims({ name: 'z' }),
      [`${CLAIMS}[0]: Not found: "z": must be one of the names in pod.spec.resourceClaims: x, y`],
    ],
    [
      'a token without an account',
      { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
      [
        'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
      ],
    ],
    [
      'a token of its account',
      {
        serviceAccountName: 'a',
        volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
      },
      [],
    ],
  ])('with %s', (_what, spec, faults) =>
    expect(messages(validatePod(pod(spec), DEFAULT_POD_FEATURES))).toEqual(faults),
  );

  const profile = (appArmorProfile: object) => ({
    containers: [{ name: 'c', image: 'i', securityContext: { appArmorProfile } }],
  });

  it.each<[string, object, readonly string[]]>([
    ['runtime/default', profile({ type: 'RuntimeDefault' }), []],
    ['unconfined', profile({ type: 'Unconfined' }), []],
    ['localhost/a', profile({ type: 'Localhost', localhostProfile: 'a' }), []],
    [
      'localhost/a',
      profile({ type: 'Localhost', localhostProfile: 'b' }),
      [
        'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match',
      ],
    ],
    [
      'unconfined',
      profile({ type: 'RuntimeDefault' }),
      [
        'spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match',
      ],
    ],
    [
      'localhost/a',
      { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
      [
        'spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match',
      ],
    ],
    [
      'unconfined',
      profile({ type: 'Odd' }),
      [
        'spec.containers[0].securityContext.appArmorProfile.type: Unsupported value: "Odd": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
      ],
    ],
    [
      'else',
      {},
      [
        'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: Invalid value: "else": invalid AppArmor profile name: "else"',
      ],
    ],
  ])('whose annotation names the profile %s, with %j', (annotation, spec, faults) => {
    expect(messages(validatePod(pod(spec, { [APP_ARMOR]: annotation }), DEFAULT_POD_FEATURES))).toEqual(faults);
  });

  it.each<[object, readonly string[]]>([
    [
      { type: 'Localhost' },
      [
        'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost',
      ],
    ],
    [
      { type: 'Localhost', localhostProfile: ' a' },
      [
        'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: " a": must not be padded with whitespace',
      ],
    ],
    [
      { type: 'Localhost', localhostProfile: 'a'.repeat(4096) },
      [
        'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Too long: may not be more than 4095 bytes',
      ],
    ],
    [
      { type: 'RuntimeDefault', localhostProfile: 'a' },
      [
        'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: "a": can only be set when AppArmor type is Localhost',
      ],
    ],
    [
      { type: 'Else' },
      [
        'spec.containers[0].securityContext.appArmorProfile.type: Unsupported value: "Else": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
      ],
    ],
  ])('with the profile %#', (appArmorProfile, faults) => {
    expect(messages(validatePod(pod(profile(appArmorProfile)), DEFAULT_POD_FEATURES))).toEqual(faults);
  });

  it('of which an annotation names no container', () => {
    expect(
      messages(validatePod(pod({}, { [APP_ARMOR.replace(/c$/, 'd')]: 'unconfined' }), DEFAULT_POD_FEATURES)),
    ).toEqual([
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/d]: Invalid value: "d": container not found',
    ]);
  });
});

describe('a seccomp annotation', () => {
  it.each([
    ['localhost/a/b', []],
    ['localhost/../b', [`metadata.annotations.${SECCOMP}: Invalid value: "../b": must not contain '..'`]],
    ['other', [`metadata.annotations.${SECCOMP}: Invalid value: "other": must be a valid seccomp profile`]],
  ])('%s', (profile, faults) => {
    const securityContext = { seccompProfile: { type: 'Localhost', localhostProfile: profile.slice(10) } };
    const made = pod(profile.startsWith('localhost') ? { securityContext } : {}, { [SECCOMP]: profile });
    expect(
      messages(validatePod(made, DEFAULT_POD_FEATURES)).filter((message) => message.startsWith('metadata')),
    ).toEqual(faults);
  });
});

describe('a stored pod', () => {
  it('keeps a way to change SELinux labels that has no gate', () => {
    expect(messages(validatePodUpdate(pod(mounting), pod(mounting), DEFAULT_POD_FEATURES))).toEqual([]);
  });

  it.each(['effect', 'value', 'key', 'operator'] as const)('keeps the %s of its tolerations', (field) => {
    const toleration = { key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 5 };
    const other = { key: 'l', operator: 'Exists', value: 'w', effect: 'NoSchedule' }[field];
    const with1 = pod({ tolerations: [toleration] });
    const with2 = pod({ tolerations: [{ ...toleration, [field]: other }] });
    expect(messages(validatePodUpdate(with2, with1, DEFAULT_POD_FEATURES))).toContain(
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    );
  });
});

describe('a gated pod', () => {
  const gated = (spec: object) => pod({ schedulingGates: [{ name: 'a.io/a' }], ...spec });
  const other = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } } };

  it.each<[string, object, object, readonly string[]]>([
    ['can get a node selector', {}, { nodeSelector: { a: 'b' } }, []],
    ['can extend its node selector', { nodeSelector: { a: 'b' } }, { nodeSelector: { a: 'b', c: 'd' } }, []],
    [
      'loses a part of it',
      { nodeSelector: { a: 'b' } },
      {},
      [
        'spec.nodeSelector: Invalid value: null: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
    ['can get an affinity', {}, expression('In', ['a']), []],
    ['keeps its affinity', expression('In', ['a']), expression('In', ['a']), []],
    [
      'is given another affinity',
      expression('In', ['a']),
      expression('In', ['b']),
      [
        `${TERM}: Invalid value: {"MatchExpressions":[{"Key":"k","Operator":"In","Values":["b"]}],"MatchFields":null}: only additions are allowed (no mutations or deletions)`,
      ],
    ],
    [
      'is given more of its affinity',
      expression('In', ['a']),
      required({
        matchExpressions: [
          { key: 'k', operator: 'In', values: ['a'] },
          { key: 'l', operator: 'Exists' },
        ],
      }),
      [],
    ],
    [
      'loses its affinity',
      expression('In', ['a']),
      {},
      [
        `${TERM.replace(/\[0\]$/, '')}: Invalid value: null: no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
      ],
    ],
    ['keeps another affinity', other, other, []],
    [
      'gets an empty affinity',
      {},
      { affinity: {} },
      [expect.stringMatching(/^spec: Forbidden: pod updates may not change fields/)],
    ],
    ['gets a list to its empty term', required({}), required({ matchExpressions: [] }), []],
    [
      'gets an expression to its empty term',
      required({}),
      required({ matchExpressions: [{ key: 'k', operator: 'Exists' }] }),
      [expect.stringMatching(/only additions are allowed/)],
    ],
  ])('%s', (_what, before, after, faults) => {
    const errors = messages(validatePodUpdate(gated(after), gated(before), DEFAULT_POD_FEATURES));
    expect(errors.map((error) => error.split('\n', 1)[0])).toEqual(faults);
  });
});

describe('the status of a pod', () => {
  const ips = (...addresses: readonly string[]) => ({
    podIP: addresses[0],
    podIPs: addresses.map((ip) => ({ ip })),
  });

  it.each<[string, object, readonly string[]]>([
    ['one address', ips('10.0.0.1'), []],
    ['one of each family', ips('10.0.0.1', 'fd00::1'), []],
    [
      'two of a family',
      ips('10.0.0.1', '10.0.0.2'),
      [
        'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family',
      ],
    ],
    [
      'three',
      ips('10.0.0.1', 'fd00::1', 'fd00::2'),
      [
        'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"fd00::1"},{"IP":"fd00::2"}]: may specify no more than one IP for each IP family',
      ],
    ],
    [
      'one twice',
      ips('10.0.0.1', '10.0.0.1'),
      [
        'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.1"}]: may specify no more than one IP for each IP family',
      ],
    ],
    [
      'what is none',
      ips('10.0.0.1', 'x'),
      [
        'status.podIPs[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'status.podIPs: Internal error: failed to check for dual stack with error:invalid IP[1]: x',
        'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"x"}]: may specify no more than one IP for each IP family',
      ],
    ],
  ])('has %s', (_what, status, faults) => {
    expect(messages(validatePodStatusUpdate(pod({}, {}, status), pod({}), DEFAULT_POD_FEATURES))).toEqual(faults);
  });
});
