import type { PodSpec } from '@apiserver/api/core/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { POD_ITSELF, podWarnings } from './pod-warnings.js';

const warningsOf = (spec: object, path = POD_ITSELF, annotations = {}) =>
  podWarnings({ metadata: { annotations }, spec: spec as PodSpec }, path);
const container = (fields: object) => ({ name: 'c', image: 'i', resources: {}, ...fields });
const projected = (...sources: object[]) => ({ volumes: [{ name: 'v', projected: { sources } }] });
const configMap = (...paths: string[]) => ({ configMap: { name: 'm', items: paths.map((path) => ({ path })) } });
const token = (path: string) => ({ serviceAccountToken: { path } });
const OVERLAP = 'volume "v" (Projected): overlapping paths:';
const HIDES = 'hides previous definition of "a", which may be dropped when using apply';

it.each<[string, object, readonly string[]]>([
  ['equal paths', projected(configMap('a', 'a')), [`${OVERLAP} "a" (ConfigMap "m") with "a" (ConfigMap "m")`]],
  [
    'paths below each other, of every pair of sources',
    projected(configMap('a/b'), { secret: { name: 's', items: [{ path: 'a' }] } }, token('a/')),
    [
      `${OVERLAP} "a" (Secret "s") with "a/b" (ConfigMap "m")`,
      `${OVERLAP} "a" (ServiceAccountToken) with "a/b" (ConfigMap "m")`,
      `${OVERLAP} "a" (ServiceAccountToken) with "a" (Secret "s")`,
    ],
  ],
  ['paths with only a common prefix', projected(configMap('a', 'ab', ''), token('abc')), []],
  ['an empty projection', projected({}, token('a')), ['volume "v" (Projected) has no sources provided']],
  [
    'the signer where a bundle has no name',
    projected({ downwardAPI: { items: [{ path: 'a' }] } }, { clusterTrustBundle: { signerName: 'x.y/z', path: 'a' } }),
    [`${OVERLAP} "a" (ClusterTrustBundle "x.y/z") with "a" (DownwardAPI)`],
  ],
  [
    'the files of a certificate',
    projected(token('a/b'), {
      podCertificate: { credentialBundlePath: 'a', keyPath: 'a/', certificateChainPath: 'a' },
    }),
    [
      `${OVERLAP} "a" (PodCertificate chain) with "a/b" (ServiceAccountToken)`,
      `${OVERLAP} "a" (PodCertificate key) with "a/b" (ServiceAccountToken)`,
      `${OVERLAP} "a" (PodCertificate key) with "a" (PodCertificate chain)`,
      `${OVERLAP} "a" (PodCertificate credential bundle) with "a/b" (ServiceAccountToken)`,
      `${OVERLAP} "a" (PodCertificate credential bundle) with "a" (PodCertificate chain)`,
      `${OVERLAP} "a" (PodCertificate credential bundle) with "a" (PodCertificate key)`,
    ],
  ],
  ['a certificate without files', projected({ podCertificate: { signerName: 'x.y/z' } }), []],
  [
    'paths of a ConfigMap',
    { volumes: [{ name: 'v', configMap: { name: 'm', items: [{ path: 'a/b' }, { path: 'a' }] } }] },
    ['volume "v" (ConfigMap "m"): overlapping paths: "a" with "a/b"'],
  ],
  [
    'ports of all containers',
    {
      initContainers: [container({ ports: [{ containerPort: 80, protocol: 'TCP', hostPort: 8, hostIP: '1.1.1.1' }] })],
      containers: [
        container({
          ports: [
            { containerPort: 80, protocol: 'TCP', hostPort: 8 },
            { containerPort: 80, protocol: 'TCP', hostPort: 9 },
            { containerPort: 80, protocol: 'UDP', hostIP: '1.1.1.1' },
          ],
        }),
      ],
      ephemeralContainers: [container({ ports: [{ name: 'p', containerPort: 80, protocol: 'UDP' }] })],
    },
    [
      'spec.containers[0].ports[0]: dangerously ambiguous port definition with spec.initContainers[0].ports[0]',
      'spec.containers[0].ports[2]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:UDP HostIP:1.1.1.1}',
      'spec.ephemeralContainers[0].ports[0]: overlapping port definition with spec.containers[0].ports[2]',
    ],
  ],
  [
    'variables that are hidden, but not those that are made longer',
    {
      containers: [
        container({
          env: [
            { name: 'a', value: 'x' },
            { name: 'a', value: '$(a)' },
            { name: 'a', value: '$(a) y' },
            { name: 'a', valueFrom: {} },
          ],
        }),
      ],
    },
    [`spec.containers[0].env[1]: ${HIDES}`, `spec.containers[0].env[3]: ${HIDES}`],
  ],
  [
    'secrets without a name, or twice',
    { imagePullSecrets: [{}, { name: 'a' }, {}, { name: 'a' }] },
    [
      'spec.imagePullSecrets[2].name: duplicate name ""',
      'spec.imagePullSecrets[3].name: duplicate name "a"',
      'spec.imagePullSecrets[0].name: invalid empty name ""',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
    ],
  ],
  [
    'labels of nodes that are deprecated',
    {
      nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
      topologySpreadConstraints: [{ topologyKey: 'beta.kubernetes.io/arch', labelSelector: {} }],
    },
    [
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
    ],
  ],
  [
    'a volume that is gone, and a claim of part of a byte',
    {
      volumes: [
        { name: 'g', gitRepo: { repository: 'r' } },
        { name: 'e', ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1m' } } } } } },
      ],
    },
    [
      'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
      'spec.volumes[1].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1m" is invalid, must be an integer',
    ],
  ],
  [
    'an amount with its shortest form',
    { containers: [container({ resources: { limits: { memory: '0.50' } } })] },
    ['spec.containers[0].resources.limits[memory]: fractional byte value "500m" is invalid, must be an integer'],
  ],
])('warns of %s', (_what, spec, warnings) => expect(warningsOf(spec)).toEqual(warnings));

it('warns of annotations that fields have replaced', () => {
  const annotations = {
    'seccomp.security.alpha.kubernetes.io/pod': 'x',
    'container.seccomp.security.alpha.kubernetes.io/c': 'x',
    'container.apparmor.security.beta.kubernetes.io/c': 'x',
  };
  const AT = 'metadata.annotations';
  const seccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  const appArmor = 'deprecated since v1.30; use the "appArmorProfile" field instead';
  const spec = { containers: [container({})] };
  expect([
    warningsOf(spec, POD_ITSELF, annotations),
    warningsOf(spec, FieldPath.of('template'), annotations).at(-1),
    warningsOf({ ...spec, securityContext: { seccompProfile: {} } }, POD_ITSELF, annotations),
  ]).toEqual([
    [
      `${AT}[seccomp.security.alpha.kubernetes.io/pod]: ${seccomp}`,
      `${AT}[container.seccomp.security.alpha.kubernetes.io/c]: ${seccomp}`,
    ],
    `template.${AT}[container.apparmor.security.beta.kubernetes.io/c]: ${appArmor}`,
    [`${AT}[container.seccomp.security.alpha.kubernetes.io/c]: ${seccomp}`],
  ]);
});

/** One body may contain that many: comparing each pair would take minutes. */
it.each<[string, readonly string[], number]>([
  ['that all differ', Array.from({ length: 50_000 }, (_, i) => `a/${i}`), 0],
  ['that are all in one of them', ['a', ...Array.from({ length: 50_000 }, (_, i) => `a/${i}`)], 250],
  ['that are equal', Array.from({ length: 50_000 }, () => 'a'), 1],
])('reports at most a bounded number of overlaps of very many paths %s', (_what, paths, count) => {
  expect(warningsOf(projected(configMap(...paths)))).toHaveLength(count);
});
