import { expect, it } from 'vitest';
import { podFaults } from '../../testing/pod-faults.js';

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

it.each<[string, object, readonly string[]]>([
  [
    'resources of a pod with claims',
    { resources: { claims: [{ name: 'x' }] } },
    [
      'spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level',
      'spec.resources.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty',
    ],
  ],
  [
    'resources of a Windows pod',
    { os: { name: 'windows' }, resources: { limits: { cpu: '1' } } },
    ['spec.resources: Forbidden: may not be set for a windows pod'],
  ],
  [
    'an unknown resource of a pod',
    { resources: { limits: { 'ephemeral-storage': '1' } } },
    [
      'spec.resources.limits[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
    ],
  ],
  ...['constructor', 'toString'].map((name): [string, object, readonly string[]] => [
    `a request of ${name}, a member of every object`,
    {
      resources: { requests: { cpu: '1' }, limits: { cpu: '1' } },
      containers: [{ name: 'c', image: 'i', resources: { requests: { [name]: '1' }, limits: { cpu: '1' } } }],
    },
    ['must be a standard resource type or fully qualified', 'must be a standard resource for containers'].map(
      (fault) => `spec.containers[0].resources.requests[${name}]: Invalid value: "${name}": ${fault}`,
    ),
  ]),
  [
    'less cpu than its containers request',
    {
      resources: { requests: { cpu: '1' } },
      containers: [
        { name: 'c', image: 'i', resources: { requests: { cpu: '600m' } } },
        { name: 'd', image: 'i', resources: { requests: { cpu: '600m' } } },
      ],
    },
    [
      'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 1200m',
    ],
  ],
  [
    'as much cpu as its containers request',
    {
      resources: { requests: { cpu: '1200m' } },
      containers: [
        { name: 'c', image: 'i', resources: { requests: { cpu: '600m' } } },
        { name: 'd', image: 'i', resources: { requests: { cpu: '600m' } } },
      ],
    },
    [],
  ],
  [
    'containers that may use more together',
    {
      resources: { limits: { cpu: '1' } },
      containers: [
        { name: 'c', image: 'i', resources: { limits: { cpu: '600m' } } },
        { name: 'd', image: 'i', resources: { limits: { cpu: '600m' } } },
      ],
    },
    ['spec.resources.requests: Invalid value: "1200m": must be less than or equal to cpu limit of 1'],
  ],
  [
    'a container that may use more',
    {
      resources: { limits: { cpu: '1' } },
      containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '2', memory: '1' } } }],
    },
    [
      'spec.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      'spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1',
    ],
  ],
  [
    'fewer huge pages than its containers',
    {
      resources: { limits: { cpu: '1', 'hugepages-2Mi': '2Mi' } },
      containers: [
        { name: 'c', image: 'i', resources: { limits: { cpu: '1', 'hugepages-2Mi': '2Mi' } } },
        { name: 'd', image: 'i', resources: { limits: { 'hugepages-2Mi': '2Mi' } } },
      ],
    },
    [
      'spec.containers[1].resources: Forbidden: HugePages require cpu or memory',
      'spec.resources.requests[hugepages-2Mi]: Invalid value: "2Mi": must be greater than or equal to aggregate container requests of 4Mi',
      'spec.resources.limits[hugepages-2Mi]: Invalid value: "2Mi": must be greater than or equal to aggregate container limits of 4Mi',
    ],
  ],
  [
    'indivisible huge pages',
    { resources: { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' } } },
    [
      'spec.resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      'spec.resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    ],
  ],
  [
    'overhead of no resource',
    { overhead: { widgets: '1' } },
    [
      'spec.overhead.limits[widgets]: Invalid value: "widgets": must be a standard resource type or fully qualified',
      'spec.overhead.limits[widgets]: Invalid value: "widgets": must be a standard resource for containers',
    ],
  ],
  [
    'two claims of a name',
    {
      resourceClaims: [
        { name: 'x', resourceClaimName: 'a' },
        { name: 'x', resourceClaimTemplateName: 'b' },
      ],
    },
    ['spec.resourceClaims[1].name: Duplicate value: "x"'],
  ],
  [
    'a claim without a name',
    { resourceClaims: [{ name: '', resourceClaimName: 'a' }] },
    ['spec.resourceClaims[0].name: Required value'],
  ],
  [
    'a claim of both kinds',
    { resourceClaims: [{ name: 'x', resourceClaimName: 'a', resourceClaimTemplateName: 'b' }] },
    [
      'spec.resourceClaims[0]: Invalid value: {"Name":"x","ResourceClaimName":"a","ResourceClaimTemplateName":"b"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
    ],
  ],
  [
    'a claim of neither kind',
    { resourceClaims: [{ name: 'x' }] },
    [
      'spec.resourceClaims[0]: Invalid value: {"Name":"x","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
  ],
  [
    'claims of bad names',
    {
      resourceClaims: [
        { name: 'X', resourceClaimName: 'A' },
        { name: 'y', resourceClaimTemplateName: 'B' },
      ],
    },
    [
      `spec.resourceClaims[0].name: Invalid value: "X": ${LABEL}`,
      `spec.resourceClaims[0].resourceClaimName: Invalid value: "A": ${SUBDOMAIN}`,
      `spec.resourceClaims[1].resourceClaimTemplateName: Invalid value: "B": ${SUBDOMAIN}`,
    ],
  ],
])('a pod with %s', (_what, spec, faults) => {
  expect(podFaults(spec)).toEqual(faults);
});
