import { type HostileCase, MAX_BODY, repeated, sending } from '../hostile-case.ts';

const QUOTAS = '/api/v1/namespaces/default/resourcequotas';

/** A quota whose only amount is a text. */
function amount(text: () => string): Pick<HostileCase, 'request' | 'maxResponse'> {
  return {
    request: (name) =>
      sending('POST', QUOTAS, 'json', JSON.stringify({ metadata: { name }, spec: { hard: { pods: text() } } })),
    // A refusal contains the refused value.
    maxResponse: 4 * MAX_BODY,
  };
}

const LONG = MAX_BODY - 1_024;

/** Amounts that take long to read. */
export const AMOUNT_CASES: readonly HostileCase[] = [
  { name: 'millions of digits', ...amount(() => '9'.repeat(LONG)) },
  { name: 'millions of digits behind the point', ...amount(() => `0.${'9'.repeat(LONG)}`) },
  { name: 'millions of digits with a binary suffix', ...amount(() => `${'9'.repeat(LONG)}Ei`) },
  { name: 'a huge exponent', ...amount(() => '1e2147483647') },
  { name: 'a tiny exponent', ...amount(() => '1e-2147483648') },
  { name: 'an exponent of millions of digits', ...amount(() => `1e${'9'.repeat(LONG)}`) },
  { name: 'millions of zeros and an exponent', ...amount(() => `1${'0'.repeat(LONG)}e-2900000`) },
  { name: 'zeros before a digit', ...amount(() => `${'0'.repeat(LONG)}1`) },
  {
    name: 'many amounts of 40 digits',
    request: (name) =>
      sending(
        'POST',
        QUOTAS,
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"hard":{${repeated((i) => `"requests.example.com/r${i}":"${'9'.repeat(40)}.123e-3"`, 4_096)}}}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'a replica count of millions of digits',
    request: (name) =>
      sending(
        'POST',
        '/apis/apps/v1/namespaces/default/deployments',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"replicas":${'9'.repeat(LONG)}}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'a port of millions of digits',
    request: (name) =>
      sending(
        'POST',
        '/api/v1/namespaces/default/services',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"ports":[{"port":80,"targetPort":"${'9'.repeat(LONG)}"}]}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'a time of millions of digits',
    request: (name) =>
      sending(
        'POST',
        '/apis/coordination.k8s.io/v1/namespaces/default/leases',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"renewTime":"2026-01-01T00:00:00.${'9'.repeat(LONG)}Z"}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'source ranges of a service',
    request: (name) =>
      sending(
        'POST',
        '/api/v1/namespaces/default/services',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"type":"LoadBalancer","ports":[{"port":80}],"loadBalancerSourceRanges":[${repeated((i) => `"2001:db8:${(i >> 8).toString(16)}::${(i & 255).toString(16)}:0/112"`, MAX_BODY / 2)}]}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'excepted blocks of a network policy',
    request: (name) =>
      sending(
        'POST',
        '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"podSelector":{},"ingress":[{"from":[{"ipBlock":{"cidr":"10.0.0.0/8","except":[${repeated((i) => `"10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}/32"`, MAX_BODY / 2)}]}}]}]}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'hosts of an ingress',
    request: (name) =>
      sending(
        'POST',
        '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}},"tls":[{"hosts":[${repeated((i) => `"*.h${i}.example.com"`, MAX_BODY / 2)}]}]}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'requirements of a node affinity',
    request: (name) =>
      sending(
        'POST',
        '/api/v1/namespaces/default/pods',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[${repeated((i) => `{"key":"k${i}","operator":"Gt","values":["${i}"]}`, MAX_BODY / 2)}]}]}}}}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
];
