import type { Service, ServicePort, ServiceSpec, ServiceStatus } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { TEST_FEATURES, testFeatures } from '../../testing/group-dependencies.js';
import { applyServiceDefaults } from './defaults.js';
import { serviceDeclaration } from './index.js';

const context = testContext();
const services = serviceDeclaration(TEST_FEATURES);
const { strategy } = services;
const status = services.subresources['status']?.strategy ?? strategy;

/** A service with defaults, as for validation. */
function service(spec: ServiceSpec = {}, metadata: Service['metadata'] = {}, state?: ServiceStatus): Service {
  const made: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's', namespace: 'ns', uid: 'u', resourceVersion: '1', ...metadata },
    spec: { ports: [{ port: 80 }], ...structuredClone(spec) },
    status: state ?? { loadBalancer: {} },
  };
  applyServiceDefaults(made);
  return made;
}

const TCP: ServicePort = { protocol: 'TCP', port: 80, targetPort: 80 };

describe('defaults', () => {
  it.each<[string, ServiceSpec, ServiceSpec]>([
    [
      'of a cluster IP',
      { ports: [{ port: 80 }, { port: 81, targetPort: 'web', protocol: 'UDP' }] },
      {
        ports: [TCP, { protocol: 'UDP', port: 81, targetPort: 'web' }],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
      },
    ],
    [
      'of an external name',
      { ports: [], type: 'ExternalName', externalName: 'x.example.com' },
      { ports: [], type: 'ExternalName', externalName: 'x.example.com', sessionAffinity: 'None' },
    ],
    [
      'of a load balancer',
      { type: 'LoadBalancer' },
      {
        ports: [TCP],
        type: 'LoadBalancer',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        externalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
      },
    ],
    [
      'of external IPs',
      { externalIPs: ['1.2.3.4'] },
      {
        ports: [TCP],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        externalTrafficPolicy: 'Cluster',
        externalIPs: ['1.2.3.4'],
      },
    ],
    [
      'of affinity by client',
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: {} } },
      {
        ports: [TCP],
        type: 'ClusterIP',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
        internalTrafficPolicy: 'Cluster',
      },
    ],
    [
      'of no affinity, which takes no settings',
      { sessionAffinity: 'None', sessionAffinityConfig: { clientIP: {} } },
      { ports: [TCP], type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' },
    ],
  ])('%s', (_what, spec, expected) => {
    expect(service(spec).spec).toEqual(expected);
  });

  it('writes how a load balancer forwards to an address', () => {
    const { spec, status: state } = service(
      { type: 'LoadBalancer' },
      {},
      {
        loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { ip: '1.2.3.5', ipMode: 'Proxy' }, { hostname: 'h' }] },
      },
    );
    expect(spec.type).toBe('LoadBalancer');
    expect(state.loadBalancer.ingress?.map(({ ipMode }) => ipMode)).toEqual(['VIP', 'Proxy', undefined]);
  });
});

const LABEL = "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'";
const IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

describe('validation', () => {
  it.each<[ServiceSpec, string]>([
    [{}, ''],
    [{ ports: [] }, 'spec.ports: Required value'],
    [{ ports: [], clusterIP: 'None', clusterIPs: ['None'] }, ''],
    [
      { type: 'Odd' },
      'spec.type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [
      { type: 'NodePort', clusterIP: 'None', clusterIPs: ['None'] },
      `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services`,
    ],
    [{ ports: [], type: 'ExternalName', externalName: 'a.example.com.' }, ''],
    [{ ports: [], type: 'ExternalName' }, 'spec.externalName: Required value'],
    [
      {
        type: 'ExternalName',
        externalName: 'a',
        clusterIPs: ['10.0.0.1'],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      },
      '[spec.clusterIPs: Forbidden: may not be set for ExternalName services, spec.ipFamilies: Forbidden: may not be set for ExternalName services, spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services]',
    ],
    [{ ports: [TCP, { port: 81 }] }, '[spec.ports[0].name: Required value, spec.ports[1].name: Required value]'],
    [
      { ports: [{ ...TCP, name: 'A' }] },
      `spec.ports[0].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', ${LABEL})`,
    ],
    [
      {
        ports: [
          { name: 'a', port: 80 },
          { name: 'a', port: 80 },
        ],
      },
      '[spec.ports[1].name: Duplicate value: "a", spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}]',
    ],
    [
      { ports: [{ port: 0, targetPort: 'Web', protocol: 'ICMP' }] },
      '[spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP", spec.ports[0].targetPort: Invalid value: "Web": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)]',
    ],
    [
      { ports: [{ ...TCP, nodePort: 30_000 }] },
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ],
    [
      {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 80, nodePort: 30_000 },
          { name: 'b', port: 81, nodePort: 30_000 },
        ],
      },
      'spec.ports[1].nodePort: Duplicate value: 30000',
    ],
    [
      {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 80, nodePort: 30_000 },
          { name: 'b', port: 80, protocol: 'UDP', nodePort: 30_000 },
        ],
      },
      '',
    ],
    [
      { sessionAffinity: 'Odd' },
      'spec.sessionAffinity: Unsupported value: "Odd": supported values: "ClientIP", "None"',
    ],
    [
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } } },
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400',
    ],
    [{ clusterIP: '10.0.0.1' }, 'spec.clusterIPs: Required value'],
    [
      { clusterIPs: ['10.0.0.1'] },
      'spec.clusterIPs: Invalid value: ["10.0.0.1"]: must be empty when `clusterIP` is not specified',
    ],
    [
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2'] },
      'spec.clusterIPs: Invalid value: ["10.0.0.2"]: first value must match `clusterIP`',
    ],
    [{ clusterIP: 'abc', clusterIPs: ['abc'] }, `spec.clusterIPs[0]: Invalid value: "abc": ${IP}`],
    [
      { clusterIP: '010.0.0.1', clusterIPs: ['010.0.0.1'] },
      'spec.clusterIPs[0]: Invalid value: "010.0.0.1": must not have leading 0s',
    ],
    [
      { clusterIP: 'None', clusterIPs: ['None', '10.0.0.1'] },
      `spec.clusterIPs: Invalid value: ["None","10.0.0.1"]: 'None' must be the first and only value`,
    ],
    [
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', '10.0.0.2'] },
      'spec.clusterIPs: Invalid value: ["10.0.0.1","10.0.0.2"]: may specify no more than one IP for each IP family',
    ],
    [
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'fd00::1'], ipFamilies: ['IPv6', 'IPv4'] },
      '[spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`, spec.clusterIPs[1]: Invalid value: "fd00::1": expected an IPv4 value as indicated by `ipFamilies[1]`]',
    ],
    [
      { ipFamilies: ['IPv4', 'IPv4', 'IPX'], ipFamilyPolicy: 'Triple' },
      '[spec.ipFamilies[1]: Duplicate value: "IPv4", spec.ipFamilies[2]: Unsupported value: "IPX": supported values: "IPv4", "IPv6", spec.ipFamilyPolicy: Unsupported value: "Triple": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"]',
    ],
    [
      { externalIPs: ['x', '127.0.0.1'] },
      `[spec.externalIPs[0]: Invalid value: "x": ${IP}, spec.externalIPs[1]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)]`,
    ],
    [
      { loadBalancerSourceRanges: ['10.0.0.0/8'] },
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    [{ type: 'LoadBalancer', loadBalancerSourceRanges: [' 10.0.0.0/8 '] }, ''],
    [
      { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0'] },
      `spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.0": ${CIDR}`,
    ],
    [
      { allocateLoadBalancerNodePorts: false, loadBalancerClass: 'example.com/x' },
      "[spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer', spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer']",
    ],
    [
      { externalTrafficPolicy: 'Local', healthCheckNodePort: 30_000 },
      "[spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set for externally-accessible services, spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local']",
    ],
    [{ type: 'LoadBalancer', externalTrafficPolicy: 'Local' }, 'spec.healthCheckNodePort: Required value'],
    [
      { type: 'NodePort', externalTrafficPolicy: 'Odd', internalTrafficPolicy: 'Odd' },
      '[spec.externalTrafficPolicy: Unsupported value: "Odd": supported values: "Cluster", "Local", spec.internalTrafficPolicy: Unsupported value: "Odd": supported values: "Cluster", "Local"]',
    ],
    [
      { trafficDistribution: 'Far' },
      'spec.trafficDistribution: Unsupported value: "Far": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
    ],
  ])('%j', (spec, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, service(spec)))).toBe(message);
  });

  it.each<[Service['metadata'], string]>([
    [{ name: '1st' }, ''],
    [{ name: 'a.b' }, 'metadata.name: Invalid value: "a.b": must not contain dots'],
    [
      {
        annotations: {
          'service.kubernetes.io/topology-aware-hints': 'auto',
          'service.kubernetes.io/topology-mode': 'disabled',
        },
      },
      'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "disabled": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
    ],
    [
      { annotations: { 'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.0/8, x' } },
      `[metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Forbidden: may only be used when \`type\` is 'LoadBalancer', metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Invalid value: "x": ${CIDR}]`,
    ],
  ])('metadata %j', (metadata, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, service({}, metadata)))).toBe(message);
  });
});

describe('updates', () => {
  const one = { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  const two = {
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1', 'fd00::1'],
    ipFamilies: ['IPv4', 'IPv6'],
    ipFamilyPolicy: 'PreferDualStack',
  };

  it.each<[string, ServiceSpec, ServiceSpec, string]>([
    ['nothing', one, one, ''],
    [
      'another address',
      one,
      { ...one, clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'] },
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
    ],
    ['a second family', one, two, ''],
    ['back to one', two, one, ''],
    [
      'back to one against the policy',
      two,
      { ...one, ipFamilyPolicy: 'PreferDualStack' },
      `[spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to 'SingleStack' when releasing the secondary clusterIP, spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to 'SingleStack' when releasing the secondary ipFamily]`,
    ],
    [
      'another first family',
      two,
      { ...two, clusterIPs: ['fd00::1', '10.0.0.1'], clusterIP: 'fd00::1', ipFamilies: ['IPv6', 'IPv4'] },
      '[spec.clusterIPs[0]: Invalid value: ["fd00::1","10.0.0.1"]: may not change once set, spec.clusterIPs[1]: Invalid value: ["fd00::1","10.0.0.1"]: may not change once set, spec.ipFamilies[0]: Invalid value: ["IPv6","IPv4"]: may not change once set]',
    ],
    ['an address of the old kind', { ...one, externalIPs: ['010.1.1.1'] }, { ...one, externalIPs: ['010.1.1.1'] }, ''],
    [
      'the class of a load balancer',
      { ...one, type: 'LoadBalancer' },
      { ...one, type: 'LoadBalancer', loadBalancerClass: 'example.com/x' },
      'spec.loadBalancerClass: Invalid value: "example.com/x": may not change once set',
    ],
    [
      'the class of a load balancer to none',
      { ...one, type: 'LoadBalancer', loadBalancerClass: 'example.com/x' },
      { ...one, type: 'LoadBalancer' },
      'spec.loadBalancerClass: Invalid value: null: may not change once set',
    ],
    [
      'the port of health checks',
      { ...one, type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_001 },
      { ...one, type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_002 },
      'spec.healthCheckNodePort: Forbidden: field is immutable',
    ],
  ])('%s', (_what, before, after, message) => {
    expect(aggregateFieldErrors(strategy.validateUpdate(context, service(after), service(before)))).toBe(message);
  });

  const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
  interface Ranges {
    readonly annotation?: string;
    readonly field?: readonly string[];
    readonly after: string;
  }
  const balanced = { ...one, type: 'LoadBalancer' };
  it.each<[string, number, Ranges]>([
    ['an unchanged annotation', 0, { annotation: '010.0.0.0/8', after: '010.0.0.0/8' }],
    ['a changed annotation with an old range', 1, { annotation: '010.0.0.0/8', after: '010.0.0.0/8,11.0.0.0/8' }],
    ['an annotation with a range of the old field', 1, { field: ['010.0.0.0/8'], after: '010.0.0.0/8' }],
  ])('of source ranges: %s', (_what, faults, { annotation, field = [], after }) => {
    const before = service(
      { ...balanced, loadBalancerSourceRanges: [...field] },
      annotation === undefined ? {} : { annotations: { [RANGES]: annotation } },
    );
    const changed = service(balanced, { annotations: { [RANGES]: after } });
    expect(strategy.validateUpdate(context, changed, before)).toHaveLength(faults);
  });

  it('validates the metadata only as those of an update', () => {
    const stored = service(one, { name: 'Not_Valid' });
    expect(strategy.validateUpdate(context, stored, stored)).toEqual([]);
    expect(strategy.validate(context, stored)).toHaveLength(1);
  });

  it("drops fields that the new type does not support, and keeps the client's changes", async () => {
    const old = service({
      ...one,
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30_001,
      loadBalancerClass: 'example.com/x',
      ports: [{ ...TCP, nodePort: 30_000 }],
    });
    old.status = { loadBalancer: { ingress: [{ ip: '1.2.3.4', ipMode: 'VIP' }] } };
    const toName = service({ ...old.spec, type: 'ExternalName', externalName: 'x', ipFamilyPolicy: 'PreferDualStack' });
    await strategy.prepareForUpdate?.(context, toName, old);
    expect(toName).toMatchObject({ spec: { type: 'ExternalName', ipFamilyPolicy: 'PreferDualStack', ports: [TCP] } });
    expect(Object.keys(toName.spec).sort()).toEqual(
      ['externalName', 'internalTrafficPolicy', 'ipFamilyPolicy', 'ports', 'sessionAffinity', 'type'].sort(),
    );
    expect(toName.status).toEqual({ loadBalancer: {} });
  });

  it('of the status does not change the spec', async () => {
    const old = service({ ...one, type: 'LoadBalancer' });
    const changed = service(
      { type: 'NodePort' },
      {},
      { loadBalancer: { ingress: [{ ip: '1.2.3.4', ipMode: 'VIP' }] } },
    );
    await status.prepareForUpdate?.(context, changed, old);
    expect(changed.spec).toEqual(old.spec);
    expect(status.validateUpdate(context, changed, old)).toEqual([]);
  });

  it.each<[ServiceSpec, ServiceStatus['loadBalancer'], string]>([
    [
      {},
      { ingress: [{ ip: '1.2.3.4', ipMode: 'VIP' }] },
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ],
    [
      { type: 'LoadBalancer' },
      { ingress: [{ ip: 'x', ipMode: 'Odd' }, { hostname: '1.2.3.4' }, { ipMode: 'VIP', hostname: 'A' }] },
      `[status.loadBalancer.ingress[0].ip: Invalid value: "x": ${IP}, status.loadBalancer.ingress[0].ipMode: Unsupported value: "Odd": supported values: "Proxy", "VIP", status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address, status.loadBalancer.ingress[2].ipMode: Forbidden: may not be specified when \`ip\` is not set, status.loadBalancer.ingress[2].hostname: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]`,
    ],
  ])('of the status: %j %j', (spec, loadBalancer, message) => {
    const old = service(spec);
    const changed = { ...service(spec), status: { loadBalancer } };
    expect(aggregateFieldErrors(status.validateUpdate(context, changed, old))).toBe(message);
  });
});

it('clears the status of a new service', async () => {
  const sent = service({}, {}, { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } });
  await strategy.prepareForCreate?.(context, sent);
  expect(sent.status).toEqual({ loadBalancer: {} });
});

it.each<[ServiceSpec, Service['metadata'], string[]]>([
  [{}, {}, []],
  [
    {},
    { annotations: { 'service.kubernetes.io/topology-aware-hints': 'auto' } },
    [
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    ],
  ],
  [
    { clusterIP: 'None', externalIPs: ['1.2.3.4'], loadBalancerIP: '1.2.3.4', sessionAffinity: 'ClientIP' },
    {},
    [
      'spec.loadBalancerIP is ignored for headless services',
      'spec.externalIPs is ignored for headless services',
      'spec.SessionAffinity is ignored for headless services',
    ],
  ],
  [
    { clusterIP: 'FD00::1', clusterIPs: ['FD00::1'], externalName: 'x', trafficDistribution: 'PreferClose' },
    {},
    [
      'spec.clusterIPs[0]: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ],
  [
    { externalIPs: ['1.2.3.4'] },
    {},
    ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'],
  ],
  [
    { type: 'ExternalName', externalIPs: ['1.2.3.4'] },
    {},
    ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
  ],
  [
    { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.1/8'] },
    {},
    [
      'spec.loadBalancerSourceRanges[0]: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
    ],
  ],
])('warns of %j %j', (spec, metadata, warnings) => {
  expect(strategy.warningsOnCreate?.(context, service(spec, metadata))).toEqual(warnings);
});

it('warns about odd addresses of a load balancer, each at its element', () => {
  const ingress = [{ ip: '1.2.3.4' }, { hostname: 'a.example' }, { ip: '2001:DB8::1' }];
  const balanced = service({ type: 'LoadBalancer' }, {}, { loadBalancer: { ingress } });
  expect(status.warningsOnUpdate?.(context, balanced, service({ type: 'LoadBalancer' }))).toEqual([
    'status.loadBalancer.ingress[2]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
  ]);
});

it.each<[ServiceSpec, ServiceStatus['loadBalancer'], unknown[]]>([
  [
    { clusterIPs: ['10.0.0.1'], selector: { b: '2', a: '1' } },
    {},
    ['ClusterIP', '10.0.0.1', '<none>', '80/TCP', 'a=1,b=2'],
  ],
  [
    {
      type: 'NodePort',
      externalIPs: ['1.2.3.4', '1.2.3.5'],
      ports: [
        { ...TCP, nodePort: 30_000 },
        { port: 53, protocol: 'UDP' },
      ],
    },
    {},
    ['NodePort', '<none>', '1.2.3.4,1.2.3.5', '80:30000/TCP,53/UDP', '<none>'],
  ],
  [{ type: 'LoadBalancer' }, {}, ['LoadBalancer', '<none>', '<pending>', '80/TCP', '<none>']],
  [
    { type: 'LoadBalancer', externalIPs: ['9.9.9.9'] },
    { ingress: [{ hostname: 'h' }, { ip: '1.2.3.4' }, { hostname: 'h' }] },
    ['LoadBalancer', '<none>', '1.2.3.4,h,9.9.9.9', '80/TCP', '<none>'],
  ],
  [{ type: 'ExternalName', externalName: 'x', ports: [] }, {}, ['ExternalName', '<none>', 'x', '<none>', '<none>']],
])('shows %j', (spec, loadBalancer, cells) => {
  const shown = service(spec, { creationTimestamp: '2030-01-01T00:00:00Z' }, { loadBalancer });
  const all = services.columns.map((column) => column.cell(shown, rowTime('2030-01-01T05:00:00Z')));
  const [type, clusterIP, externalIP, ports, selector] = cells;
  expect(all).toEqual(['s', type, clusterIP, externalIP, ports, '5h', selector]);
});

it('has a name that begins with a letter, without RelaxedServiceNameValidation', () => {
  const first = (features: FeatureGates) =>
    aggregateFieldErrors(serviceDeclaration(features).strategy.validate(context, service({}, { name: '1st' })));
  expect([first(TEST_FEATURES), first(testFeatures({ RelaxedServiceNameValidation: false }))]).toEqual([
    '',
    `metadata.name: Invalid value: "1st": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
  ]);
});
