import type { FullObject } from '../full-object.js';

const networking = 'networking.k8s.io/v1';
const INGRESS_PORTS = [
  { port: 80, protocol: 'TCP' },
  { port: 90, protocol: 'UDP', error: 'example.com/Refused' },
];
const SERVICE = { name: 's', port: { number: 80 } };
const RESOURCE = { apiGroup: 'example.com', kind: 'Bucket', name: 'b' };
const PEER = {
  podSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
  namespaceSelector: { matchLabels: { a: 'b' } },
};

export const networkingObjects: readonly FullObject[] = [
  {
    apiVersion: networking,
    kind: 'Ingress',
    fields: {
      spec: {
        ingressClassName: 'c',
        defaultBackend: { service: SERVICE },
        tls: [{ hosts: ['a.example.com'], secretName: 's' }],
        rules: [
          {
            host: 'a.example.com',
            http: {
              paths: [
                { path: '/a', pathType: 'Exact', backend: { service: { name: 's', port: { name: 'web' } } } },
                { path: '/b', pathType: 'Prefix', backend: { resource: RESOURCE } },
              ],
            },
          },
          {
            host: '*.example.com',
            http: { paths: [{ pathType: 'ImplementationSpecific', backend: { service: SERVICE } }] },
          },
        ],
      },
      status: { loadBalancer: { ingress: [{ ip: '10.0.0.1', hostname: 'h.example.com', ports: INGRESS_PORTS }] } },
    },
    also: [
      { 'spec.defaultBackend.resource': RESOURCE },
      { 'spec.defaultBackend': {} },
      { 'spec.defaultBackend.service': { name: 's', port: { name: 'web', number: 80 } } },
      { 'spec.defaultBackend.service': { name: 's', port: {} } },
      { 'spec.defaultBackend.service': { name: 's', port: { number: 65_535 } } },
      { 'spec.defaultBackend': undefined, 'spec.rules': undefined },
      { 'spec.rules': [{ host: '10.0.0.1' }] },
      { 'spec.rules': [{ host: '*.Example.com' }] },
      { 'spec.rules': [{ host: 'Example.com' }] },
      ...['b', '/a//b', '/a/./b', '/a/../b', '/a/..', '/a/.', '/a%2fb', '/a%2Fb', '/', '', '/a?b', '/a\nb'].map(
        (path) => ({
          'spec.rules': [{ http: { paths: [{ path, pathType: 'Prefix', backend: { service: SERVICE } }] } }],
        }),
      ),
      { 'spec.rules': [{ http: { paths: [{ path: '/a', backend: { service: SERVICE } }] } }] },
      {
        'spec.rules': [
          { http: { paths: [{ path: 'a', pathType: 'ImplementationSpecific', backend: { service: SERVICE } }] } },
        ],
      },
      {
        'spec.rules': [
          { http: { paths: [{ path: '', pathType: 'ImplementationSpecific', backend: { service: SERVICE } }] } },
        ],
      },
      { 'spec.tls': [{ hosts: ['*.example.com', '*.*.example.com'] }] },
      { 'status.loadBalancer.ingress': [{ ip: '::1' }] },
    ],
  },
  {
    apiVersion: networking,
    kind: 'Ingress',
    name: 'annotated',
    skipped: ['spec', 'status'],
    annotations: { 'kubernetes.io/ingress.class': 'old' },
    fields: { spec: { defaultBackend: { service: SERVICE } } },
    also: [{ 'spec.ingressClassName': 'new' }],
  },
  {
    apiVersion: networking,
    kind: 'IngressClass',
    fields: {
      spec: {
        controller: 'example.com/ingress',
        parameters: { apiGroup: 'example.com', kind: 'Parameters', name: 'p', scope: 'Namespace', namespace: 'ns' },
      },
    },
    also: [
      { 'spec.parameters.scope': 'Cluster' },
      { 'spec.parameters.scope': 'Cluster', 'spec.parameters.namespace': undefined },
      { 'spec.parameters.scope': undefined },
      { 'spec.controller': 'example.com/other' },
      { 'spec.controller': `example.com/${'b'.repeat(239)}` },
      { 'spec.controller': 'example' },
      { 'spec.parameters.kind': 'a/b' },
      { 'spec.parameters.name': '..' },
    ],
  },
  {
    apiVersion: networking,
    kind: 'NetworkPolicy',
    fields: {
      spec: {
        podSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          {
            from: [PEER, { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
            ports: [
              { protocol: 'TCP', port: 80, endPort: 90 },
              { protocol: 'UDP', port: 'dns' },
            ],
          },
        ],
        egress: [{ to: [PEER, { ipBlock: { cidr: 'fd00::/8', except: ['fd00:1::/32'] } }], ports: [{ port: 1 }] }],
      },
    },
    also: [
      { 'spec.policyTypes': ['Ingress', 'Egress', 'Ingress'] },
      { 'spec.policyTypes': ['Near'] },
      { 'spec.ingress': [{ ports: [{ port: 80, endPort: 79 }] }] },
      { 'spec.ingress': [{ ports: [{ port: 80, endPort: 80 }] }] },
      { 'spec.ingress': [{ ports: [{ port: 'web', endPort: 80 }] }] },
      { 'spec.ingress': [{ ports: [{ endPort: 80 }] }] },
      { 'spec.ingress': [{ from: [{}] }] },
      { 'spec.egress': [{ to: [{}] }] },
      { 'spec.ingress': [{ from: [{ ...PEER, ipBlock: { cidr: '10.0.0.0/8' } }] }] },
      { 'spec.ingress': [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] } }] }] },
      { 'spec.ingress': [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/7'] } }] }] },
      { 'spec.ingress': [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] }] },
      { 'spec.ingress': [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['fd00::/16'] } }] }] },
      { 'spec.ingress': [{ from: [{ ipBlock: { cidr: '10.0.0.1/8' } }] }] },
    ],
  },
  {
    apiVersion: networking,
    kind: 'IPAddress',
    name: '10.0.0.1',
    fields: { spec: { parentRef: { group: 'example.com', resource: 'services', namespace: 'ns', name: 's' } } },
  },
  ...['010.0.0.1', 'fd00:0::1'].map((name) => ({
    apiVersion: networking,
    kind: 'IPAddress',
    name,
    skipped: ['spec'],
    fields: { spec: { parentRef: { resource: 'services', name: 's' } } },
  })),
  {
    apiVersion: networking,
    kind: 'ServiceCIDR',
    fields: {
      spec: { cidrs: ['10.0.0.0/24', 'fd00::/64'] },
      status: {
        conditions: [{ type: 'Ready', status: 'True', reason: 'R', lastTransitionTime: '2030-01-01T00:00:00Z' }],
      },
    },
    also: [
      { 'spec.cidrs': ['10.0.0.0/24'] },
      { 'spec.cidrs': ['10.0.0.0/24', '10.1.0.0/24'] },
      { 'spec.cidrs': ['fd00::/64', '10.0.0.0/24'] },
      { 'spec.cidrs': ['10.0.0.0/24', 'fd00::/64', 'fd01::/64'] },
      { 'spec.cidrs': ['10.0.0.1/24'] },
      { 'spec.cidrs': ['10.0.0.0/31', 'fd00::/127'] },
    ],
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    fields: {
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: ['10.0.0.1'],
          conditions: { ready: true, serving: true, terminating: false },
          hostname: 'h',
          nodeName: 'n',
          zone: 'z',
          deprecatedTopology: { a: 'b' },
          targetRef: { kind: 'Pod', name: 'p', namespace: 'ns' },
          hints: { forZones: [{ name: 'z' }], forNodes: [{ name: 'n' }] },
        },
      ],
      ports: [
        { name: 'web', protocol: 'TCP', port: 80, appProtocol: 'http' },
        { name: '', protocol: 'UDP', port: 53 },
      ],
    },
    also: [
      { addressType: 'FQDN' },
      { addressType: 'FQDN', endpoints: [{ addresses: ['a.example.com'] }] },
      { addressType: 'FQDN', endpoints: [{ addresses: ['A.example.com'] }] },
      { addressType: 'IPv6', endpoints: [{ addresses: ['fd00::1'] }] },
      { addressType: 'IPv6' },
      { endpoints: [{ addresses: ['127.0.0.1', '169.254.0.1', '224.0.0.1', '0.0.0.0', '::1'] }] },
      { addressType: 'IPv6', endpoints: [{ addresses: ['::', '::1', 'fe80::1', 'ff02::1', '::ffff:10.0.0.1'] }] },
      { endpoints: [{ addresses: Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`) }] },
      { endpoints: [{ addresses: Array.from({ length: 100 }, (_, i) => `10.0.0.${i}`) }] },
      { endpoints: Array.from({ length: 1001 }, () => ({ addresses: ['10.0.0.1'] })) },
      { ports: Array.from({ length: 20_001 }, (_, i) => ({ name: `p${i}`, port: 1 })) },
      {
        ports: [
          { name: 'a', port: 1 },
          { name: 'a', port: 2 },
        ],
      },
      {
        endpoints: [
          { addresses: ['10.0.0.1'], hints: { forZones: Array.from({ length: 9 }, (_, i) => ({ name: `z${i}` })) } },
        ],
      },
      {
        endpoints: [
          { addresses: ['10.0.0.1'], hints: { forNodes: Array.from({ length: 9 }, (_, i) => ({ name: `z${i}` })) } },
        ],
      },
      {
        endpoints: [
          {
            addresses: ['10.0.0.1'],
            deprecatedTopology: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])),
          },
        ],
      },
      { endpoints: [{ addresses: ['10.0.0.1'], deprecatedTopology: { 'topology.kubernetes.io/zone': 'z' } }] },
    ],
  },
  {
    apiVersion: 'v1',
    kind: 'Endpoints',
    fields: {
      subsets: [
        {
          addresses: [{ ip: '10.0.0.1', hostname: 'h', nodeName: 'n', targetRef: { kind: 'Pod', name: 'p' } }],
          notReadyAddresses: [{ ip: '10.0.0.2' }],
          ports: [
            { name: 'web', port: 80, protocol: 'TCP', appProtocol: 'http' },
            { name: 'dns', port: 53 },
          ],
        },
      ],
    },
    also: [
      { subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 1 }] }] },
      { subsets: [{ notReadyAddresses: [{ ip: '169.254.0.1' }] }] },
      { subsets: [{}] },
      { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 1 }, { port: 2 }] }] },
    ],
  },
];
