import type { FullObject } from '../full-object.js';

const PORTS = [
  { name: 'web', protocol: 'TCP', port: 80, targetPort: 8080, nodePort: 30_080, appProtocol: 'http' },
  { name: 'dns', protocol: 'UDP', port: 53, targetPort: 'dns', nodePort: 30_053 },
];

export const services: readonly FullObject[] = [
  {
    ...{ apiVersion: 'v1', kind: 'Service' },
    fields: {
      spec: {
        ...{ type: 'LoadBalancer', selector: { a: 'b' }, ports: PORTS, clusterIP: '10.0.0.1' },
        ...{ clusterIPs: ['10.0.0.1', 'fd00::1'], ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
        ...{ externalIPs: ['192.0.2.1'], sessionAffinity: 'ClientIP', loadBalancerIP: '192.0.2.2' },
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
        ...{ loadBalancerSourceRanges: ['192.0.2.0/24'], externalTrafficPolicy: 'Local', healthCheckNodePort: 30_100 },
        ...{ loadBalancerClass: 'example.com/lb', allocateLoadBalancerNodePorts: true, internalTrafficPolicy: 'Local' },
        trafficDistribution: 'PreferClose',
      },
      status: {
        loadBalancer: { ingress: [{ ip: '192.0.2.3', ipMode: 'VIP', ports: [{ port: 80, protocol: 'TCP' }] }] },
        conditions: [{ type: 'Ready', status: 'True', reason: 'R', lastTransitionTime: '2030-01-01T00:00:00Z' }],
      },
    },
    also: [
      { 'spec.type': 'ClusterIP', 'spec.ports': [{ port: 80 }] },
      { 'spec.type': 'NodePort' },
      { 'spec.type': 'ExternalName' },
      { 'spec.clusterIP': 'None', 'spec.clusterIPs': ['None'] },
      { 'spec.clusterIPs': ['10.0.0.1', '10.0.0.2'] },
      { 'spec.clusterIPs': ['10.0.0.1', 'fd00::1', 'fd00::2'] },
      { 'spec.ipFamilies': ['IPv6', 'IPv4'] },
      { 'spec.ipFamilyPolicy': 'SingleStack' },
      { 'spec.trafficDistribution': 'PreferSameNode' },
      { 'spec.trafficDistribution': 'PreferSameZone' },
      { 'spec.externalTrafficPolicy': 'Cluster' },
      { 'spec.externalTrafficPolicy': 'Cluster', 'spec.healthCheckNodePort': undefined },
      { 'spec.sessionAffinity': 'None' },
      { 'spec.sessionAffinityConfig.clientIP.timeoutSeconds': 86_400 },
      { 'spec.sessionAffinityConfig.clientIP.timeoutSeconds': 86_401 },
      {
        'spec.ports': [
          { name: 'a', port: 80, nodePort: 30_080 },
          { name: 'b', port: 81, nodePort: 30_080 },
        ],
      },
      {
        'spec.ports': [
          { name: 'a', port: 80 },
          { name: 'b', port: 80 },
        ],
      },
      {
        'spec.ports': [
          { name: 'a', port: 80 },
          { name: 'b', port: 80, protocol: 'SCTP' },
        ],
      },
      { 'spec.ports': [{ name: 'a', port: 80 }, { port: 81 }] },
      { 'spec.externalIPs': ['127.0.0.1'] },
      { 'spec.externalIPs': ['0.0.0.0', '169.254.0.1', '224.0.0.1', 'fe80::1'] },
      { 'spec.loadBalancerSourceRanges': [' 192.0.2.0/24'] },
      { 'spec.allocateLoadBalancerNodePorts': false },
      { 'status.loadBalancer.ingress': [{ hostname: 'a.example.com', ipMode: 'VIP' }] },
      { 'status.loadBalancer.ingress': [{ hostname: '10.0.0.1' }] },
      { 'status.loadBalancer.ingress': [{ ip: '10.0.0.1', ipMode: 'Proxy' }] },
      { 'status.loadBalancer.ingress': [{ ip: '10.0.0.1' }] },
    ],
  },
  {
    ...{ apiVersion: 'v1', kind: 'Service', name: 'external' },
    fields: { spec: { type: 'ExternalName', externalName: 'a.example.com', sessionAffinity: 'None' } },
    also: [
      { 'spec.externalName': 'a.example.com.' },
      { 'spec.externalName': 'a_b.example.com' },
      { 'spec.type': 'ClusterIP' },
      { 'spec.type': 'ClusterIP', 'spec.ports': [{ port: 80 }] },
      { 'spec.clusterIP': '10.0.0.1' },
      { 'spec.clusterIP': 'None' },
      { 'spec.ports': [{ port: 80, nodePort: 30_000 }] },
      { 'spec.ipFamilies': ['IPv4'] },
      { 'spec.ipFamilyPolicy': 'SingleStack' },
    ],
  },
  {
    ...{ apiVersion: 'v1', kind: 'Service', name: 'headless', skipped: ['status', 'spec.externalIPs'] },
    fields: {
      spec: {
        ...{ type: 'ClusterIP', clusterIP: 'None', clusterIPs: ['None'], ports: [{ port: 80, protocol: 'TCP' }] },
        ...{ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', sessionAffinity: 'None', selector: { a: 'b' } },
      },
    },
    also: [
      { 'spec.type': 'NodePort' },
      { 'spec.type': 'LoadBalancer' },
      { 'spec.ports': undefined },
      { 'spec.selector': undefined, 'spec.ipFamilies': ['IPv4', 'IPv6'], 'spec.ipFamilyPolicy': 'RequireDualStack' },
      { 'spec.externalTrafficPolicy': 'Local' },
      { 'spec.healthCheckNodePort': 30_000 },
      { 'spec.loadBalancerClass': 'example.com/lb' },
      { 'spec.loadBalancerSourceRanges': ['10.0.0.0/8'] },
      { 'spec.clusterIP': '10.0.0.5', 'spec.clusterIPs': ['10.0.0.5'] },
    ],
  },
];
